import type { ErrorCode } from '@unikv/core'
import { isStoreError, StoreError } from '@unikv/core/adapter'
import { encodeWrappedKeys, type WrappedKey } from '../keys/wrapped-keys.ts'
import { ask, isBlob, strangeAnswer, takenInTime } from './asking.ts'
import type { DataKey, KmsCall, KmsContext, KmsProvider } from './kms-provider.ts'

/** A data key that seals, and its section for the header. */
export interface Sealable {
  readonly root: Buffer
  readonly section: Buffer
}

/** Judges the key that a provider unwrapped. It is good only if it agrees with the commitment of a record. */
export type Accepts = (root: Buffer) => boolean

/**
 * A new data key of the first provider, wrapped by all: none is left out, as the others may be what opens it one day.
 *
 * @throws {StoreError} what a provider failed with
 */
export async function generate(
  providers: readonly KmsProvider[],
  context: KmsContext,
  timeoutMs: number,
): Promise<Sealable> {
  const [first, ...others] = providers as readonly [KmsProvider, ...KmsProvider[]]
  const { info, root, blob } = await ask(first.id, timeoutMs, async (call) => {
    const infoNow = infoOf(first)
    const made: Partial<DataKey> | undefined = await first.generateDataKey(context, call)
    return { info: infoNow, root: takenInTime(made?.key, call), blob: made?.blob }
  })
  if (root === undefined || !isBlob(blob)) throw strangeAnswer(first.id)
  const wrap = (provider: KmsProvider): Promise<WrappedKey> => wrapped(provider, root, context, timeoutMs)
  try {
    const section = encodeWrappedKeys([
      { providerId: first.id, info, blob },
      ...(await Promise.all(others.map(wrap))),
    ])
    if (section === undefined)
      throw new StoreError(
        'INVALID_CONFIG',
        'The wrapped data keys take more than 4096 bytes: wrap with fewer providers.',
      )
    return { root, section }
  } catch (error) {
    root.fill(0)
    throw error
  }
}

async function wrapped(
  provider: KmsProvider,
  root: Buffer,
  context: KmsContext,
  timeoutMs: number,
): Promise<WrappedKey> {
  const { id } = provider
  const copy = Buffer.from(root)
  const question = async (call: KmsCall): Promise<{ readonly info: Buffer; readonly blob: unknown }> => {
    const info = infoOf(provider)
    return { info, blob: await (provider as Required<KmsProvider>).encryptDataKey(copy, context, call) }
  }
  try {
    const { info, blob } = await ask(id, timeoutMs, question)
    if (!isBlob(blob)) throw strangeAnswer(id)
    return { providerId: id, info, blob }
  } finally {
    copy.fill(0)
  }
}

/** The present key of a provider, which may be another one than when it was configured. */
function infoOf({ info }: KmsProvider): Buffer {
  return Buffer.from(info)
}

/**
 * The data key of a section: of the first configured provider that gives one which is accepted. Each is asked once,
 * and a provider that is not configured is not asked. If none is accepted, the last that was given: the commitment refuses it.
 *
 * @throws {StoreError} `UNKNOWN_KEY_ID` if no provider is configured; what they failed with, rather the failure that
 * may pass than the one that stays
 */
export async function unwrap(
  providers: readonly KmsProvider[],
  keys: readonly WrappedKey[],
  context: KmsContext,
  timeoutMs: number,
  accepts: Accepts,
): Promise<Buffer> {
  const failures: StoreError[] = []
  let refused: Buffer | undefined
  const left = new Map(providers.map((provider) => [provider.id, provider]))
  for (const key of keys) {
    const provider = left.get(key.providerId)
    if (provider === undefined) continue
    left.delete(key.providerId)
    try {
      const root = await unwrapped(provider, key, context, timeoutMs)
      refused?.fill(0)
      if (accepts(root)) return root
      refused = root
    } catch (error) {
      if (!isStoreError(error)) throw error
      failures.push(error)
    }
  }
  if (refused !== undefined) return refused
  throw failures.find(({ code }) => passing.has(code)) ?? failures[0] ?? notConfigured(keys)
}

const passing: ReadonlySet<ErrorCode> = new Set(['TIMEOUT', 'UNAVAILABLE', 'OVERLOADED'])

async function unwrapped(
  provider: KmsProvider,
  { blob, info }: WrappedKey,
  context: KmsContext,
  timeoutMs: number,
): Promise<Buffer> {
  const question = { blob: Uint8Array.from(blob), info: Buffer.from(info).toString() }
  const root = await ask(provider.id, timeoutMs, async (call) =>
    takenInTime(await provider.decryptDataKey(question, context, call), call),
  )
  if (root !== undefined) return root
  throw new StoreError(
    'AUTHENTICATION_FAILED',
    `The key management service '${provider.id}' did not return a data key of 32 bytes.`,
  )
}

function notConfigured(keys: readonly WrappedKey[]): StoreError {
  const names = keys.map(({ providerId }) => `'${providerId}'`).join(', ')
  return new StoreError(
    'UNKNOWN_KEY_ID',
    `The data key of the record was wrapped by ${names}, and no such provider is configured. Add it to open the record.`,
  )
}
