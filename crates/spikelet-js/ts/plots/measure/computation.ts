// Computations in pieces: measures of millions of spikes take longer than a frame, so generators pause where they `yield`.

/** Maximum duration of a piece in ms, and the time between two pieces. */
const PIECE_MS = 4;
const REST_MS = 12;

/** A computation that can pause. */
export type Computation<Result> = Generator<void, Result>;

/** Completes a computation without pauses. */
export function complete<Result>(work: Computation<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

const waiting: (() => boolean)[] = [];
let isWorking = false;

/** Does a computation in pieces, after those requested before; several are done one by one so that all together leave most of a frame free. */
export function later<Result>(make: () => Computation<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    let work: Computation<Result> | null = null;
    waiting.push(() => {
      try {
        work ??= make();
        const { done, value } = work.next();
        if (done) resolve(value);
        return done ?? false;
      } catch (error) {
        reject(error as Error);
        return true;
      }
    });
    if (isWorking) return;
    isWorking = true;
    setTimeout(piece, 0);
  });
}

function piece(): void {
  const end = performance.now() + PIECE_MS;
  while (waiting.length > 0 && performance.now() < end) {
    if (waiting[0]!()) waiting.shift();
  }
  isWorking = waiting.length > 0;
  if (isWorking) setTimeout(piece, REST_MS);
}
