import { BaseIndex } from './base-index.ts'
import type { DeltaWriter } from './delta-writer.ts'
import { type Comparable, matchBackward, matchForward } from './match-length.ts'

/** Settings of a search. */
export interface ScanSettings {
  readonly windowSize: number
  readonly step: number
  /** The target is told from the writer's end to here. */
  readonly end: number
}

/** An edit in place may change so many bytes; what differs for longer is looked for elsewhere. */
const reachBytes = 24

/** So many bytes may differ where the base goes on as before a move. */
const returnBytes = 2

/** A match in place of this length is taken without looking elsewhere. */
const sureBytes = 256

/** A move has to be told: by so much it must reach further than going on in place. */
const moveMargin = 32

/** So many bytes that differ in place cost more than a move and the way back. */
const dearBytes = 12

/** A copy up to this length may be taken over by the next one. */
const shortCopyBytes = 64

/** Finds copies for a target, in its order, and hands them to the writer. */
export class Scanner {
  readonly #base: Comparable
  readonly #target: Comparable
  readonly #writer: DeltaWriter
  readonly #settings: ScanSettings
  /** The last place in the target where a window fits. */
  readonly #lastStart: number
  /** Made when something has moved: edits in place need none. */
  #index: BaseIndex | undefined
  /** Start and length of each part that goes on in place. */
  readonly #parts = new Int32Array(2 * reachBytes + 4)
  #partsEnd = 0
  #shift = 0

  constructor(base: Comparable, target: Comparable, writer: DeltaWriter, settings: ScanSettings) {
    this.#base = base
    this.#target = target
    this.#writer = writer
    this.#settings = settings
    this.#lastStart = base.length < settings.windowSize ? -1 : settings.end - settings.windowSize
  }

  run(): void {
    let at = this.#writer.end
    while (at < this.#settings.end) {
      let inPlace = this.#findInPlace(at, this.#writer.shift, reachBytes)
      // Behind what was moved in, the base may go on where it was left.
      if (inPlace === at) inPlace = this.#findInPlace(at, this.#writer.previousShift, returnBytes)
      const moved = inPlace - at < sureBytes ? this.#takeMoved(at, inPlace) : at
      if (moved > at) {
        at = moved
      } else {
        if (inPlace === at) return
        this.#takeInPlace()
        at = inPlace
      }
    }
  }

  /** Up to where the base goes on in place, with a few bytes that differ; `start` if it does not. */
  #findInPlace(start: number, shift: number, reach: number): number {
    const { windowSize, end } = this.#settings
    const [target, base, parts] = [this.#target, this.#base, this.#parts]
    const limit = Math.min(end, base.length - shift)
    this.#shift = shift
    this.#partsEnd = 0
    let at = Math.max(start, -shift)
    let equal = 0
    let different = 0
    while (at <= limit - 4) {
      if (target.word(at) !== base.word(at + shift)) {
        if (++different > reach) return start
        at++
        continue
      }
      const length = 4 + matchForward(target, at + 4, base, at + shift + 4, limit - at - 4)
      parts[this.#partsEnd++] = at
      parts[this.#partsEnd++] = length
      at += length
      equal += length
      // Chance makes words equal that do not belong together: a part must be long, or most of all parts equal.
      if (length >= windowSize || (equal >= windowSize && equal >= 2 * different) || at === limit) return at
    }
    return start
  }

  #takeInPlace(): void {
    const shift = this.#shift
    for (let i = 0; i < this.#partsEnd; i += 2) {
      const start = this.#parts[i] as number
      this.#writer.copy(start + shift, start, this.#parts[i + 1] as number)
    }
  }

  /** Take what stands elsewhere in the base, if it reaches further than `inPlace`. Where it ends; `at` if none does. */
  #takeMoved(at: number, inPlace: number): number {
    if (this.#lastStart < at) return at
    const { windowSize, step, end } = this.#settings
    this.#index ??= new BaseIndex(this.#base, windowSize, step)
    const index = this.#index
    const last = inPlace > at ? Math.min(this.#lastStart, at + step) : this.#lastStart
    const start = index.find(this.#target, at, last, end)
    if (start === -1) return at
    if (inPlace > at && !this.#isBetter(at, inPlace, start)) return at
    const writer = this.#writer
    const takenOver = writer.lastLength <= shortCopyBytes ? writer.lastLength : 0
    const most = Math.min(index.from, start - writer.end + takenOver)
    const before = matchBackward(this.#target, start, this.#base, index.from, most)
    writer.copy(index.from - before, start - before, before + index.length)
    return start + index.length
  }

  /** Whether what the index found at `start` saves more than going on in place from `at` to `inPlace`. */
  #isBetter(at: number, inPlace: number, start: number): boolean {
    const end = start + (this.#index as BaseIndex).length
    if (end > inPlace + moveMargin) return true
    const firstPart = this.#parts[0] as number
    return firstPart - at >= dearBytes && start - at <= 2 && end >= firstPart
  }
}
