import { type AnyStack, heard, ownSignal, StoreError } from '@unikv/core/adapter'
import { decodePosition, encodePosition } from '../envelope/position.ts'
import { sealedPlace } from '../layer/sealed-layers.ts'
import { type ReencryptOptions, type ReencryptReport, settingsOf } from './reencrypt-options.ts'
import { Sweep } from './sweep.ts'

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
  const { cursor, onProgress, unconditional, ...settings } = settingsOf(options)
  const place = sealedPlace(stack)
  const { capabilities, name } = place.inner
  if (capabilities.scan === false) throw unsupported(`${name} cannot list its records.`, name)
  if (!capabilities.conditionalWrite && !unconditional && !settings.dryRun)
    throw unsupported(
      `${name} checks no versions, so a newer value could be lost. Stop all writers and say unconditional: true.`,
      name,
    )
  const sweep = new Sweep(place, { ...settings, signal: ownSignal(settings.signal) })
  for await (const resume of sweep.pages(decodePosition(cursor, name)))
    heard(onProgress?.(sweep.report(resume === undefined ? undefined : encodePosition(resume, name))))
  return sweep.report(undefined)
}

function unsupported(message: string, store: string): StoreError {
  return new StoreError('UNSUPPORTED', message, { store, operation: 'reencrypt' })
}
