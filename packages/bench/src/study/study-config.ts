import { StoreError } from '@unikv/core'
import { z } from 'zod'
import { parseDuration, time } from '../options/forms.ts'
import { invalidArgument } from '../options/invalid.ts'
import { option, type Plain } from '../options/option.ts'

const most = 86_400_000

/** A time for a configuration. */
export const milliseconds = z.number().positive().max(most)

/** Measured runs of each cell, after one that is not counted; their default differs from study to study. */
export const runsSchema = option(z.int().min(1).max(1_000), { alike: null })

/** A number for all stores, or one for each of those with these names. */
function allOrNamed<S extends z.ZodType>(of: S): z.ZodUnion<[S, z.ZodRecord<z.ZodString, S>]> {
  return z.union([of, z.record(z.string(), of)])
}

/** `5ms`, or `a=5ms,b=40ms`. */
function named<T>(given: string, parse: (text: string) => T): T | Readonly<Record<string, T>> {
  if (!given.includes('=')) return parse(given)
  const pairs = given.split(',').map((part) => {
    const [, name = '', value = ''] = /^\s*([^=]+?)\s*=(.*)$/s.exec(part) ?? []
    if (name === '') throw invalidArgument(`'${part}' has no name. Write it like a=5,b=40.`)
    return [name, parse(value)] as const
  })
  return Object.fromEntries(pairs)
}

/** Mbit/s. @throws {StoreError} `INVALID_ARGUMENT` */
export function parseSpeed(given: string): number {
  const speed = given.trim() === '' ? Number.NaN : Number(given)
  if (Number.isFinite(speed)) return speed
  throw invalidArgument(`'${given}' is not a speed. Write it in Mbit/s, such as 100.`)
}

/** Fields of the configuration of every study but `runs`. */
export const studyShape = {
  seed: option(z.int().min(0).max(0xffff_ffff).default(42), {
    help: 'seed of data and order',
    guide: 'The same seed gives the same data and operations.',
    alike: 'seed',
  }),
  /** Deadline of every call. */
  timeoutMs: option(z.int().min(1).max(most).default(5_000), { help: 'deadline of every call', alike: null }),
  /** So much later arrives what the servers of stores answer: all of them, or those with these names. */
  delayMs: option(allOrNamed(z.number().min(0).max(60_000)).default(0), {
    flag: 'delay',
    help: 'how much later answers of servers arrive, such as 5ms, or cloud=40ms,near=2ms by name',
    argument: '<time>',
    parse: (given) => named(given, parseDuration),
    textOf: time.textOf,
    alike: 'delay',
  }),
  /** Speed of the network to the servers of stores; `null`: as it is. */
  mbits: option(allOrNamed(z.number().min(0.001).max(1e6)).nullable().default(null), {
    flag: 'bandwidth',
    help: 'speed of the network to servers in Mbit/s, such as 100, or cloud=20,near=500 by name',
    argument: '<mbits>',
    parse: (given) => named(given, parseSpeed),
    preset: 'as it is',
    alike: 'bandwidth',
  }),
  /** Run in a store that holds records already (in a namespace apart from them). */
  allowNonEmpty: option(z.boolean().default(false), {
    help: 'allow a dataset that holds other records (they are not changed)',
    alike: null,
  }),
}

const studyConfigSchema = z.object({ runs: runsSchema, ...studyShape })

/** The configuration that all studies share. */
export type StudyConfig = Plain<typeof studyConfigSchema>

/**
 * A configuration with its defaults filled in.
 *
 * @param nameOf how the user calls a field. Default: by its path
 * @throws {StoreError} `INVALID_CONFIG` naming the first thing that is wrong
 */
export function studyConfig<C>(
  study: { readonly config: z.ZodType<C> },
  input: unknown,
  nameOf: (path: string) => string = (path) => path,
): C {
  const parsed = study.config.safeParse(input)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const message = `${nameOf(issue?.path.join('.') ?? 'configuration')}: ${issue?.message ?? 'invalid'}`
  throw new StoreError('INVALID_CONFIG', `The configuration is wrong at ${message}.`, { cause: parsed.error })
}
