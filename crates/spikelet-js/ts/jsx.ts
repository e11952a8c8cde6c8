/**
 * Types of the elements for JSX: `import type {} from "spikelet/jsx"` in a file of the project adds them to React, Preact and Solid, whichever
 * is installed.
 *
 * ```tsx
 * import "spikelet/element";
 * import type {} from "spikelet/jsx";
 *
 * const figure = <spikelet-network src="cuba" plots="raster rates" autoplay />;
 * ```
 *
 * @module jsx
 */
import type { AssembliesView, SpikeletAssembliesElement, SpikeletAssembliesEventMap } from "./assemblies-element.js";
import type { SpikeletNetworkElement, SpikeletNetworkEventMap } from "./element.js";
import type { ElementOptions } from "./element/settings.js";
import type { SpikeletExperimentsElement, SpikeletExperimentsEventMap } from "./experiments-element.js";
import type { SpikeletGpuReportElement, SpikeletGpuReportEventMap } from "./gpu-report-element.js";
import type { BackendChoice } from "./raw.js";
import type { SpikeletSensesElement, SpikeletSensesEventMap } from "./senses-element.js";
import type { Spikelet } from "./spikelet.js";
import type { SpikeletTrainingElement, SpikeletTrainingEventMap } from "./training-element.js";

/** Attributes and properties of `<spikelet-network>`; see docs/element.md. */
export interface NetworkAttributes {
  src?: string | undefined;
  plots?: string | undefined;
  parameters?: string | undefined;
  autoplay?: boolean | undefined;
  speed?: number | string | undefined;
  /** In ms of biological time. */
  duration?: number | string | undefined;
  /** In ms of biological time. */
  window?: number | string | undefined;
  backend?: BackendChoice | undefined;
  threads?: number | string | undefined;
  seed?: number | string | undefined;
  scale?: number | string | undefined;
  worker?: string | undefined;
  offscreen?: boolean | undefined;
  options?: ElementOptions | undefined;
}

/** Attributes of `<spikelet-assemblies>`. */
export interface AssembliesAttributes {
  view?: AssembliesView | undefined;
  n?: number | string | undefined;
  k?: number | string | undefined;
  p?: number | string | undefined;
  beta?: number | string | undefined;
  seed?: number | string | undefined;
  sentence?: string | undefined;
  grammar?: string | undefined;
  worker?: string | undefined;
}

/** Attributes and properties of `<spikelet-training>`. */
export interface TrainingAttributes {
  preset?: string | undefined;
  worker?: string | undefined;
  network?: string | null | undefined;
}

/** Attributes of `<spikelet-gpu-report>`. */
export interface GpuReportAttributes {
  /** Wall time in s. */
  seconds?: number | string | undefined;
  rehearsal?: boolean | undefined;
  worker?: string | undefined;
}

/** The property of `<spikelet-experiments>` and `<spikelet-senses>`. */
export interface SimulationProperty {
  simulation?: Spikelet | null | undefined;
}

/** Attributes by the names of the elements. */
export interface ElementAttributes {
  "spikelet-network": NetworkAttributes;
  "spikelet-assemblies": AssembliesAttributes;
  "spikelet-training": TrainingAttributes;
  "spikelet-gpu-report": GpuReportAttributes;
  "spikelet-experiments": SimulationProperty;
  "spikelet-senses": SimulationProperty;
}

interface Elements {
  "spikelet-network": SpikeletNetworkElement;
  "spikelet-assemblies": SpikeletAssembliesElement;
  "spikelet-training": SpikeletTrainingElement;
  "spikelet-gpu-report": SpikeletGpuReportElement;
  "spikelet-experiments": SpikeletExperimentsElement;
  "spikelet-senses": SpikeletSensesElement;
}

interface EventMaps {
  "spikelet-network": SpikeletNetworkEventMap;
  "spikelet-assemblies": SpikeletAssembliesEventMap;
  "spikelet-training": SpikeletTrainingEventMap;
  "spikelet-gpu-report": SpikeletGpuReportEventMap;
  "spikelet-experiments": SpikeletExperimentsEventMap;
  "spikelet-senses": SpikeletSensesEventMap;
}

/** Listeners as attributes: `onready` in React and Preact, `on:ready` in Solid. */
type Listeners<EventMap, Prefix extends string> = {
  [Type in keyof EventMap & string as `${Prefix}${Type}`]?: ((event: EventMap[Type]) => void) | undefined;
};

/** What a framework adds to its own attributes of an element. */
type With<Own, Name extends keyof Elements, Prefix extends string> =
  Omit<Own, keyof ElementAttributes[Name] | `${Prefix}${keyof EventMaps[Name] & string}`> & ElementAttributes[Name] & Listeners<EventMaps[Name], Prefix>;

/* A framework that is not installed has no types: what follows is then without effect. */
/** @ts-ignore */
type ReactAttributes<Element> = import("react").ClassAttributes<Element> & import("react").HTMLAttributes<Element>;
/** @ts-ignore */
type PreactAttributes<Element extends EventTarget> = import("preact").ClassAttributes<Element> & import("preact").HTMLAttributes<Element>;
/** @ts-ignore */
type SolidAttributes<Element> = import("solid-js").JSX.HTMLAttributes<Element>;

type ReactElements = { [Name in keyof Elements]: With<ReactAttributes<Elements[Name]>, Name, "on"> };
type PreactElements = { [Name in keyof Elements]: With<PreactAttributes<Elements[Name]>, Name, "on"> };
type SolidElements = { [Name in keyof Elements]: With<SolidAttributes<Elements[Name]>, Name, "on:"> };

/** @ts-ignore */
declare module "react" {
  namespace JSX {
    interface IntrinsicElements extends ReactElements {}
  }
}

/** @ts-ignore */
declare module "preact" {
  namespace JSX {
    interface IntrinsicElements extends PreactElements {}
  }
}

/** @ts-ignore */
declare module "solid-js" {
  namespace JSX {
    interface IntrinsicElements extends SolidElements {}
  }
}
