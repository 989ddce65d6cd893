import type { Bytes, CallOptions, CallSettings } from '@unikv/core'
import { callOptions, checkFactoryOptions, checkMs, endOf } from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import { checkBytes, checkKey } from '../checks.ts'
import { contextTable, type RecordContext } from '../envelope/associated-data.ts'
import { saltSource } from '../envelope/salts.ts'
import { type SealingOptions, sealingTable } from '../envelope/sealing-options.ts'
import type { KmsKeys } from '../kms/kms-keys.ts'
import { kmsVault } from './kms-vault.ts'

/** How long a service may take. */
export interface AskSettings {
  /** The deadline, in milliseconds. @default none: each question ends after `timeoutMs` of the keys */
  readonly timeoutMs?: CallSettings['timeoutMs']
  readonly signal?: CallSettings['signal']
}

/** Options that open an envelope whose data key a service unwraps. */
export interface KmsOpenOptions extends RecordContext, AskSettings {
  /** Made by `kmsKeys`. */
  readonly keys: KmsKeys
}

/** Options that seal an envelope whose data key a service makes. */
export interface KmsSealOptions extends KmsOpenOptions, SealingOptions {}

const salts = saltSource()

const openNames: Record<keyof KmsOpenOptions, unknown> = {
  ...contextTable,
  timeoutMs: true,
  signal: true,
  keys: true,
}
const sealNames: Record<keyof KmsSealOptions, unknown> = { ...openNames, ...sealingTable }

/** `seal` with a data key that may have to be asked for. The bytes are read when it is there. */
export async function sealAsked(bytes: Bytes, options: KmsSealOptions): Promise<Bytes> {
  checkFactoryOptions('seal', options, sealNames)
  checkBytes(bytes)
  const { key, timeoutMs, signal, ...at } = options
  checkKey(key)
  const size = { messages: 1, bytes: bytes.length }
  return kmsVault(at, salts).sealed(
    () => size,
    callOf({ timeoutMs, signal }),
    (seal) => seal(key, bytes),
  )
}

/** `open` with a data key that may have to be asked for. */
export async function openAsked(envelope: Bytes, options: KmsOpenOptions): Promise<Bytes> {
  checkFactoryOptions('open', options, openNames)
  checkBytes(envelope)
  const { key, timeoutMs, signal, ...at } = options
  checkKey(key)
  return kmsVault(at, salts).opened(
    () => [envelope],
    callOf({ timeoutMs, signal }),
    (open) => open(key, envelope),
  )
}

/**
 * The call of what takes its own time.
 *
 * @throws {StoreError} `INVALID_ARGUMENT`; `ABORTED` if it is over already
 */
export function callOf({ timeoutMs, signal }: AskSettings): CallOptions {
  checkMs({ timeoutMs }, { code: 'INVALID_ARGUMENT' })
  const call = callOptions({
    ...(timeoutMs !== undefined && { deadlineAt: performance.now() + timeoutMs }),
    ...(signal !== undefined && { signal }),
  })
  const refusal = endOf(call, false)
  if (refusal !== undefined) throw refusal
  return call
}
