import { RebuiltElement } from "./element/rebuilt.js";
import { define } from "./element/typed.js";
import { notAllowed } from "./errors.js";
import type { GpuReport } from "./gpu-report/report.js";
import { sheet } from "./gpu-report/style.js";
import { ReportView } from "./gpu-report/view.js";
import type { Theme } from "./plots/theme.js";

/** The events of the element. They do not bubble. */
export interface SpikeletGpuReportEventMap {
  /** A report is complete. */
  done: CustomEvent<{ readonly report: GpuReport }>;
}

declare global {
  interface HTMLElementTagNameMap {
    "spikelet-gpu-report": SpikeletGpuReportElement;
  }
}

/**
 * The element `<spikelet-gpu-report>`: reports on the GPU of the browser, with tables that fill and a file to save; see docs/element.md.
 *
 * ```html
 * <script type="module">import "spikelet/gpu-report/element";</script>
 * <spikelet-gpu-report></spikelet-gpu-report>
 * ```
 */
export class SpikeletGpuReportElement extends RebuiltElement<SpikeletGpuReportEventMap> {
  static readonly observedAttributes: readonly string[] = ["rehearsal", "seconds", "worker"];

  constructor() {
    super(sheet());
  }

  /** @internal It draws nothing. */
  protected override redraw(): void {}

  /** @internal */
  protected override fill(base: HTMLElement, _theme: Theme, end: AbortSignal): void {
    const text = this.getAttribute("seconds");
    const seconds = text === null ? undefined : Number(text);
    if (seconds !== undefined && !(seconds > 0 && Number.isFinite(seconds))) throw notAllowed("seconds", text, "a wall time in s above 0, such as 60");
    const view = new ReportView({
      end,
      rehearsal: this.hasAttribute("rehearsal"),
      seconds,
      worker: this.getAttribute("worker") ?? undefined,
      done: (report) => this.dispatchEvent(new CustomEvent("done", { detail: { report } })),
    });
    base.append(view.element);
  }
}

define("spikelet-gpu-report", SpikeletGpuReportElement);
