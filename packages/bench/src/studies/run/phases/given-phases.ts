import { StoreError } from '@unikv/core'
import { checkOptions, type OptionNames } from '@unikv/core/adapter'
import { isPlainObject } from '@unikv/core/platform'
import { z } from 'zod'
import { parseRate, planLength, ratePlanSchema } from '../../../loop/rate-plan.ts'
import { checkMix, parseMix } from '../../../operations/mix.ts'
import type { Workload } from '../../../operations/workload.ts'
import { parseDuration } from '../../../options/forms.ts'
import type { Plain } from '../../../options/option.ts'
import type { OwnPhase } from '../../../own/define-workload.ts'
import { milliseconds } from '../../../study/study-config.ts'

/** Each phase of a run draws from streams of its own. */
export const mostPhases = 999

/** The schema of a phase in a configuration. */
export const phaseSchema = z.strictObject({
  name: z.string(),
  /** It is not counted. */
  warmup: z.boolean(),
  /** `null`: that of the run, as for all that follows. */
  mix: z.record(z.string(), z.number().min(0)).nullable(),
  /** Callers that wait; a rate of the run does not count then. */
  concurrency: z.int().min(1).max(100_000).nullable(),
  rate: ratePlanSchema.nullable(),
  durationMs: milliseconds.nullable(),
  /** Most operations. */
  operations: z.int().min(1).nullable(),
})

/** A part of a run, with what differs from the run. Parts follow each other on the same records. */
export type Phase = Plain<typeof phaseSchema>

const fields: OptionNames<OwnPhase> = {
  name: true,
  warmup: true,
  mix: true,
  concurrency: true,
  rate: true,
  duration: true,
  operations: true,
}

/**
 * The phases of a configuration file or a module.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` with the phase that is wrong
 */
export function givenPhases(given: unknown, module: Workload['module']): readonly Phase[] {
  if (!Array.isArray(given) || given.length === 0)
    throw wrong('must be a list, such as [{ name: peak, rate: 500, duration: 30s }]')
  const phases = given.map((one, index) => phaseOf(one, index, module))
  if (phases.length > mostPhases) throw wrong(`there are ${phases.length}, but at most ${mostPhases} can be`)
  const twice = phases.find(({ name }, index) => phases.findIndex((one) => one.name === name) !== index)
  if (twice !== undefined) throw wrong(`two have the name ${twice.name}. Give each a name of its own`)
  if (phases.every(({ warmup }) => warmup))
    throw wrong('all of them are warm-ups, so nothing would be measured')
  return phases
}

/** A list in JSON, as the command line has it. */
export function parsePhases(text: string): unknown {
  try {
    return JSON.parse(text) ?? []
  } catch {
    throw wrong(`are not JSON on the command line. A --config file takes them in YAML`)
  }
}

function phaseOf(given: unknown, index: number, module: Workload['module']): Phase {
  if (!isPlainObject(given)) throw wrong(`number ${index + 1} is not an object with a name`)
  const { name } = given
  if (typeof name !== 'string' || !/^[A-Za-z0-9][\w-]{0,31}$/.test(name))
    throw wrong(`number ${index + 1} needs a \`name\` of up to 32 letters, digits, - and _`)
  checkOptions(`phase ${name}`, given, fields, 'INVALID_ARGUMENT')
  const { mix, rate, concurrency, duration, operations = null, warmup = false } = given as unknown as OwnPhase
  if (rate !== undefined && concurrency !== undefined)
    throw wrong(`${name} has a rate and callers (concurrency). Choose one of them`)
  if (typeof warmup !== 'boolean') throw wrong(`${name} has a \`warmup\` that is not true or false`)
  checkWhole(name, { operations: operations ?? 1, concurrency: concurrency ?? 1 })
  const plan = rate === undefined ? null : parseRate(String(rate))
  const lengthMs = plan === null ? 0 : planLength(plan)
  return {
    name,
    warmup,
    mix: mix === undefined ? null : mixOf(mix, module),
    concurrency: concurrency ?? null,
    rate: plan,
    durationMs: duration === undefined ? lengthMs || null : durationOf(name, duration),
    operations,
  }
}

function checkWhole(name: string, counts: Readonly<Record<string, number>>): void {
  const found = Object.entries(counts).find(([, count]) => !(Number.isInteger(count) && count >= 1))
  if (found === undefined) return
  throw wrong(`${name} has \`${found[0]}\` that are not a whole number from 1, got ${String(found[1])}`)
}

function durationOf(name: string, duration: number | string): number {
  const ms = parseDuration(String(duration))
  if (ms > 0) return ms
  throw wrong(`${name} has a \`duration\` of 0, so it would measure nothing. Write a time above 0`)
}

function mixOf(given: NonNullable<OwnPhase['mix']>, module: Workload['module']): Workload['mix'] {
  const mix = typeof given === 'string' ? parseMix(given) : given
  checkMix(mix, module)
  if (!Object.values(mix).some((weight) => weight > 0)) throw wrong('no operation has a weight above 0')
  return mix
}

function wrong(why: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', `Phases: ${why}.`)
}
