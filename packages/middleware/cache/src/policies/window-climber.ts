/** A sample ends after so many requests for each entry. */
const sampleFactor = 10
const [leastShare, mostShare] = [0.01, 0.8]
const firstStep = 0.0625
const stepDecay = 0.98
/** The traffic has changed if the hit rate moves by so much: the steps are long again. */
const restartChange = 0.05

/**
 * Finds the share of the window of W-TinyLFU by the hit rate (Einziger, Eytan, Friedman and Manes, Middleware 2018): it
 * grows or shrinks in steps, turns back when the hit rate falls, and the steps get shorter. Traffic that asks again for
 * what is new needs a large window, traffic whose popular keys stay the same needs a small one.
 */
export class WindowClimber {
  /** The part of the cache that the window has, 0.01 to 0.8. */
  share: number = leastShare
  #step = -firstStep
  #hits = 0
  #requests = 0
  #rate = 0

  /** Count a request of a full cache with so many entries. Whether the share has changed. */
  count(isHit: boolean, entries: number): boolean {
    if (isHit) this.#hits++
    if (++this.#requests < sampleFactor * entries) return false
    const rate = this.#hits / this.#requests
    const change = rate - this.#rate
    this.#rate = rate
    this.#hits = 0
    this.#requests = 0
    this.#climb(change)
    return true
  }

  #climb(change: number): void {
    const step = change >= 0 ? this.#step : -this.#step
    this.share = Math.min(mostShare, Math.max(leastShare, this.share + step))
    this.#step = Math.abs(change) >= restartChange ? Math.sign(step) * firstStep : step * stepDecay
  }
}
