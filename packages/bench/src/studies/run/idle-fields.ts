import { StoreError } from '@unikv/core'
import type { Phase } from './phases/phase.ts'

/** The parts of a configuration on which other fields depend. */
interface Fields {
  readonly rate?: unknown
  readonly failIf?: unknown
  readonly runs?: unknown
  readonly save?: unknown
  readonly restore?: unknown
  readonly mix: Readonly<Record<string, unknown>>
  readonly phases: readonly Phase[]
}

type Reason = readonly [field: string, isIdle: (config: Fields) => boolean, why: string]

/** Fields that say nothing without another one, or beside it, and the reason. */
const idle: readonly Reason[] = [
  ['concurrency', ({ rate }) => has(rate), '--concurrency says nothing beside --rate: use --max-in-flight.'],
  ['until', ({ runs }) => typeof runs === 'number' && runs < 3, '--until needs three runs or more.'],
  ['reset', ({ save }) => has(save), '--reset says nothing beside --save and --restore.'],
  [
    'save',
    ({ restore }) => !has(restore),
    '--save needs --restore, the command that brings the records back.',
  ],
  ['restore', ({ save }) => !has(save), '--restore needs --save, the command that keeps the records.'],
  ['failFast', ({ failIf }) => !has(failIf), '--fail-fast needs --fail-if.'],
  ['arrivals', (config) => !hasRate(config), '--arrivals needs --rate.'],
  ['maxInFlight', (config) => !hasRate(config), '--max-in-flight needs --rate.'],
  ['whenFull', (config) => !hasRate(config), '--when-full needs --rate.'],
  ['scanLength', (config) => !does(config, ['scan']), '--scan-length needs a mix with scan.'],
  [
    'batch',
    (config) => !does(config, ['batch-read', 'batch-write', 'batch-insert']),
    '--batch needs a mix with batch-read, batch-write or batch-insert.',
  ],
  [
    'check',
    (config) => !does(config, ['read', 'read-modify-write', 'batch-read', 'scan']),
    '--check needs a mix with read, read-modify-write, batch-read or scan.',
  ],
  overridden('mix', 'mix', ({ mix }) => mix !== null),
  overridden('rate', 'rate', hasOwnLoop),
  overridden('concurrency', 'concurrency', hasOwnLoop),
  overridden('duration', 'duration', ({ durationMs }) => durationMs !== null),
  overridden('operations', 'operations', ({ operations }) => operations !== null),
]

/**
 * Refuse a field that would be ignored.
 *
 * @throws {StoreError} `INVALID_ARGUMENT`
 */
export function refuseIdleFields(given: Readonly<Record<string, unknown>>, config: Fields): void {
  const found = idle.find(([field, isIdle]) => given[field] !== undefined && isIdle(config))
  if (found !== undefined) throw new StoreError('INVALID_ARGUMENT', found[2])
}

/** A field of the run that each phase has for itself. */
function overridden(field: string, flag: string, hasOwn: (phase: Phase) => boolean): Reason {
  const why = `--${flag} says nothing, as each phase has its own. Leave it out, or leave it out of a phase.`
  return [field, ({ phases }) => phases.length > 0 && phases.every(hasOwn), why]
}

function hasOwnLoop({ rate, concurrency }: Phase): boolean {
  return rate !== null || concurrency !== null
}

function hasRate({ rate, phases }: Fields): boolean {
  if (phases.length === 0) return has(rate)
  return phases.some((phase) => has(phase.rate) || (has(rate) && phase.concurrency === null))
}

/** Whether the run, or a phase of it, does one of these operations. */
function does({ mix, phases }: Fields, operations: readonly string[]): boolean {
  const mixes = phases.length === 0 ? [mix] : phases.map((phase) => phase.mix ?? mix)
  return mixes.some((one) => operations.some((name) => has(one[name])))
}

function has(value: unknown): boolean {
  return value !== undefined && value !== null && value !== 0
}
