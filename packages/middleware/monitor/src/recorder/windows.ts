import { addFrames, type Frame } from '../figures.ts'

/** Sliding windows by name, in milliseconds. */
export const windowMs = { '5s': 5000, '30s': 30_000, '5min': 300_000 } as const

/** The name of a sliding window. */
export type WindowName = keyof typeof windowMs

interface Span {
  readonly fromAt: number
  readonly toAt: number
  readonly frame: Frame
}

/** Up to here spans stay as short as they came. */
const fineMs = windowMs['30s']
/** So long are older spans. */
const coarseMs = 10_000
const longestMs = windowMs['5min']

/** The frames of the last five minutes: the latest ones as they came, older ones in spans of ten seconds. */
export class Windows {
  #fine: Span[] = []
  #coarse: Span[] = []

  add(frame: Frame, fromAt: number, toAt: number): void {
    this.#fine.push({ fromAt, toAt, frame })
    while ((this.#fine[0] as Span).toAt <= toAt - fineMs) this.#coarsen(this.#fine.shift() as Span)
    this.#coarse = this.#coarse.filter((span) => span.toAt > toAt - longestMs)
  }

  /** The work of the last so many milliseconds, and how many of them were seen. */
  last(ms: number, now: number): { readonly frame: Frame; readonly seenMs: number } {
    const spans = [...this.#coarse, ...this.#fine].filter((span) => span.toAt > now - ms)
    const firstAt = spans[0]?.fromAt ?? now
    return { frame: addFrames(spans.map(({ frame }) => frame)), seenMs: Math.max(0, now - firstAt) }
  }

  /** The work since a moment at which a span ended, if that is less than 30 seconds ago; else of spans that overlap it too. */
  since(at: number, now: number): { readonly frame: Frame; readonly seenMs: number } {
    const spans = [...this.#coarse, ...this.#fine].filter((span) => span.toAt > at)
    const firstAt = Math.max(at, spans[0]?.fromAt ?? now)
    return { frame: addFrames(spans.map(({ frame }) => frame)), seenMs: now - firstAt }
  }

  #coarsen(span: Span): void {
    const last = this.#coarse.at(-1)
    if (last === undefined || span.toAt - last.fromAt > coarseMs) this.#coarse.push(span)
    else {
      const frame = addFrames([last.frame, span.frame])
      this.#coarse[this.#coarse.length - 1] = { fromAt: last.fromAt, toAt: span.toAt, frame }
    }
  }
}
