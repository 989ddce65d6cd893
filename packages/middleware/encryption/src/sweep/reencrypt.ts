import {
  type AnyStack,
  checkFactoryOptions,
  checkMs,
  heard,
  type OptionNames,
  ownSignal,
  StoreError,
} from '@unikv/core/adapter'
import { checkTypes } from '../checks.ts'
import { decodePosition, encodePosition } from '../envelope/position.ts'
import { sealedPlace } from '../layer/sealed-layers.ts'
import type { ReencryptOptions, ReencryptReport } from './reencrypt-options.ts'
import { Sweep } from './sweep.ts'

const optionNames: OptionNames<ReencryptOptions> = {
  cursor: true,
  concurrency: true,
  pageSize: true,
  timeoutMs: true,
  signal: true,
  onProgress: true,
  dryRun: true,
  unconditional: true,
}

/**
 * Seal again what is not sealed by the current primary key, cipher and flags: all records of the dataset that the stack
 * reaches, internal ones included, past all caches and codecs. Each is opened and verified before, and written only if
 * it did not change meanwhile, so no newer value is lost. Value, version and expiry stay, so caches and conditions do, too.
 *
 * ```ts
 * keys.replace({ primary: 'k2', keys: { k1, k2 } })       // everywhere, first
 * const { rewritten, failed } = await reencrypt(users)    // again until both are 0
 * keys.destroy('k1')
 * ```
 *
 * Where the layer has `requireEncryption: false`, records that are not encrypted are sealed.
 *
 * @throws {StoreError} `UNSUPPORTED` for a store that lists no keys, or checks no versions (see `unconditional`);
 * `INVALID_CONFIG` for a stack without encryption; `INVALID_ARGUMENT`; `ABORTED`; errors of a listing. Errors of one
 * record are counted instead
 */
export async function reencrypt(stack: AnyStack, options: ReencryptOptions = {}): Promise<ReencryptReport> {
  checkFactoryOptions('reencrypt', options, optionNames)
  const { dryRun = false, unconditional, onProgress } = options
  checkTypes('boolean', { dryRun, unconditional }, 'INVALID_ARGUMENT')
  checkTypes('function', { onProgress }, 'INVALID_ARGUMENT')
  const place = sealedPlace(stack)
  const { capabilities, name } = place.inner
  if (capabilities.scan === false) throw unsupported(`${name} cannot list its records.`, name)
  if (!capabilities.conditionalWrite && unconditional !== true && !dryRun)
    throw unsupported(
      `${name} checks no versions, so a newer value could be lost. Stop all writers and say unconditional: true.`,
      name,
    )
  const { concurrency = 8, pageSize = 100, timeoutMs = 5000, cursor } = options
  checkPositive({ concurrency, pageSize })
  checkMs({ timeoutMs }, { code: 'INVALID_ARGUMENT' })
  const signal = ownSignal(options.signal)
  const sweep = new Sweep(place, { concurrency, pageSize, timeoutMs, signal, dryRun })
  for await (const resume of sweep.pages(decodePosition(cursor, name)))
    heard(onProgress?.(sweep.report(resume === undefined ? undefined : encodePosition(resume, name))))
  return sweep.report(undefined)
}

function checkPositive(settings: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(settings))
    if (!Number.isSafeInteger(value) || (value as number) < 1)
      throw new StoreError('INVALID_ARGUMENT', `${name} must be a whole number of at least 1.`)
}

function unsupported(message: string, store: string): StoreError {
  return new StoreError('UNSUPPORTED', message, { store, operation: 'reencrypt' })
}
