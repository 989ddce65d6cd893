import { StoreError } from '@unikv/core'

/** Fields that say nothing without another one, or beside it, and the reason. */
const idle: readonly (readonly [field: string, isIdle: (config: Fields) => boolean, why: string])[] = [
  ['concurrency', ({ rate }) => has(rate), '--concurrency says nothing beside --rate: use --max-in-flight.'],
  ['until', ({ runs }) => typeof runs === 'number' && runs < 3, '--until needs three runs or more.'],
  ['failFast', ({ failIf }) => !has(failIf), '--fail-fast needs --fail-if.'],
  ['arrivals', ({ rate }) => !has(rate), '--arrivals needs --rate.'],
  ['maxInFlight', ({ rate }) => !has(rate), '--max-in-flight needs --rate.'],
  ['whenFull', ({ rate }) => !has(rate), '--when-full needs --rate.'],
  ['scanLength', ({ mix }) => !has(mix['scan']), '--scan-length needs a mix with scan.'],
  [
    'batch',
    ({ mix }) => !has(mix['batch-read']) && !has(mix['batch-write']),
    '--batch needs a mix with batch-read or batch-write.',
  ],
  [
    'check',
    ({ mix }) => ['read', 'read-modify-write', 'batch-read', 'scan'].every((name) => !has(mix[name])),
    '--check needs a mix with read, read-modify-write, batch-read or scan.',
  ],
]

/** The parts of a configuration on which other fields depend. */
interface Fields {
  readonly rate?: unknown
  readonly failIf?: unknown
  readonly runs?: unknown
  readonly mix: Readonly<Record<string, unknown>>
}

/**
 * Refuse a field that would be ignored.
 *
 * @throws {StoreError} `INVALID_ARGUMENT`
 */
export function refuseIdleFields(given: object, config: Fields): void {
  const found = idle.find(([field, isIdle]) => field in given && isIdle(config))
  if (found !== undefined) throw new StoreError('INVALID_ARGUMENT', found[2])
}

function has(value: unknown): boolean {
  return value !== undefined && value !== null && value !== 0
}
