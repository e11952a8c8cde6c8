import { Spikes } from "./spikes";

export default function Page() {
  return <Spikes />;
}
