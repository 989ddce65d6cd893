import type { StoreError } from '@unikv/core'
import { z } from 'zod'
import { parseDuration } from '../options/forms.ts'
import { invalidArgument } from '../options/invalid.ts'
import type { Plain } from '../options/option.ts'
import { lengthOf, type RateStage } from './arrivals.ts'

const rate = z.number().min(0).max(1e7)
const stage = z.strictObject({ from: rate, to: rate, ms: z.number().positive().max(86_400_000) })

/** The schema of `RatePlan`. */
export const ratePlanSchema = z.union([
  z.number().positive().max(1e7),
  z
    .array(stage)
    .min(1)
    .refine((stages) => stages.some(({ from, to }) => from > 0 || to > 0), 'no stage has a rate above 0'),
])

/** Operations a second: the same all the time, or in stages. */
export type RatePlan = Plain<typeof ratePlanSchema>

/** The plan as stages: a plain rate holds for ever. */
export function stagesOf(plan: RatePlan): readonly RateStage[] {
  return typeof plan === 'number' ? [{ from: plan, to: plan, ms: 0 }] : plan
}

/** Milliseconds of the stages; 0 for a plain rate, which has no length. */
export function planLength(plan: RatePlan): number {
  return typeof plan === 'number' ? 0 : lengthOf(plan)
}

/** The rate with which a plan begins, for a warm-up. */
export function firstRate(plan: RatePlan): number {
  const first = stagesOf(plan).find(({ from, to }) => from > 0 || to > 0)
  return first === undefined ? 0 : first.from || first.to
}

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
  return invalidArgument(`--rate: ${why}`)
}
