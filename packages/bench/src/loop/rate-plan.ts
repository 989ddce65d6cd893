import { z } from 'zod'
import type { Plain } from '../options/plain.ts'
import { lengthOf, type RateStage } from './rate-stages.ts'

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
