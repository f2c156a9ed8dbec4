/** Measures the time somebody works: the page is visible, not paused, and touched within the last minute. */
const IDLE_MS = 60_000;
const TICK_MS = 500;
const SIGNS_OF_LIFE = ["keydown", "pointerdown", "pointermove", "wheel", "scroll", "touchstart"];

export class Clock {
  #active = 0;
  #last = performance.now();
  #touched = performance.now();
  #paused = false;

  constructor() {
    for (const sign of SIGNS_OF_LIFE) {
      addEventListener(
        sign,
        () => {
          this.#touched = performance.now();
        },
        { passive: true, capture: true },
      );
    }
    setInterval(() => this.#tick(), TICK_MS);
    document.addEventListener("visibilitychange", () => this.#tick());
  }

  #tick() {
    const now = performance.now();
    const elapsed = now - this.#last;
    this.#last = now;
    const working = !this.#paused && document.visibilityState === "visible" && now - this.#touched < IDLE_MS;
    // A tick that comes late was slept through (a closed lid, a throttled tab): it is not work.
    if (working) this.#active += Math.min(elapsed, 4 * TICK_MS);
  }

  /** The active milliseconds since the last call. */
  take() {
    this.#tick();
    const active = Math.round(this.#active);
    this.#active = 0;
    return active;
  }

  pause() {
    this.#tick();
    this.#paused = true;
  }

  resume() {
    this.#tick();
    this.#touched = performance.now();
    this.#paused = false;
  }
}
