import { StoreError } from '@unikv/core'
import type { RateStage } from '../../loop/rate-stages.ts'
import { parseDuration } from '../../options/forms.ts'

const form = /^(\d+(?:\.\d+)?)(?:\.\.(\d+(?:\.\d+)?))?(?:\/(.+))?$/
const most = 1e7

/**
 * A rate from text: `1000`, the ramp `100..1000/30s`, the steps `100,200,400/10s`, or several such parts with commas between
 * them. A part without a time has that of the next part with one.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` with the part that is wrong
 */
export function parseRate(text: string): number | readonly RateStage[] {
  const parts = text.split(',').map((part) => partOf(part.trim()))
  const [only] = parts
  if (parts.length === 1 && only?.ms === undefined && only?.from === only?.to) return plain(only?.from ?? 0)
  let ms: number | undefined
  const stages = parts.reverse().map(({ text: part, ms: own, ...rates }): RateStage => {
    ms = own ?? ms
    if (ms === undefined)
      throw wrong(`'${part}' needs a time. Write it like 100..1000/30s, or 100,200,400/10s for steps.`)
    return { ...rates, ms }
  })
  if (stages.every(({ from, to }) => from === 0 && to === 0)) throw wrong('no part has a rate above 0.')
  return stages.reverse()
}

interface Part {
  readonly text: string
  readonly from: number
  readonly to: number
  /** `undefined`: not given. */
  readonly ms: number | undefined
}

function partOf(text: string): Part {
  const match = form.exec(text)
  if (match === null)
    throw wrong(
      `'${text}' is not a rate. Write it like 1000, 100..1000/30s for a ramp, or 100,200,400/10s for steps.`,
    )
  const [, first, second = first, time] = match
  if (time !== undefined && /^\s*(s|sec|second|min|m|h)\s*$/.test(time))
    throw wrong(
      `'${text}': a rate is of operations a second, so write ${first} for ${first} a second. A time after the slash has a number, as in 100..1000/30s.`,
    )
  const [from, to] = [Number(first), Number(second)]
  if (Math.max(from, to) > most) throw wrong(`'${text}' is above 10,000,000 operations a second.`)
  const ms = time === undefined ? undefined : parseDuration(time)
  if (ms === 0) throw wrong(`'${text}' has no length. Write a time above 0.`)
  return { text, from, to, ms }
}

function plain(rate: number): number {
  if (rate > 0) return rate
  throw wrong('a rate must be above 0.')
}

function wrong(why: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', `--rate: ${why}`)
}
