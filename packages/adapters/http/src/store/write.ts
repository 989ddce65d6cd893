import {
  type Bytes,
  type CallOptions,
  isWritten,
  type Mutation,
  toStoreError,
  type WriteResult,
} from '@unikv/core'
import { names, tagOf } from '../protocol/headers.ts'
import { writeResultIn } from '../protocol/wire.ts'
import type { Client } from './client.ts'
import { batch, fitsPath, pathOf, understood } from './paths.ts'
import { versionOf } from './read.ts'

/** The verb `write`. */
export async function write(
  client: Client,
  mutations: readonly Mutation<Bytes>[],
  call: CallOptions,
): Promise<readonly WriteResult[]> {
  const only = mutations[0]
  if (mutations.length === 1 && only?.type === 'set' && fitsPath(only.key))
    return [await setOne(client, only, call)]
  const results = await batch(client, 'writes', mutations.map(changeOf), call)
  const written = understood(client, true, mutations.length, results, writeResultIn)
  return written.map((result, i) =>
    mutations[i]?.type === 'increment' && isWritten(result) && result.value === undefined
      ? client.odd(true)
      : result,
  )
}

/** A single value travels as it is, and not as base64. */
async function setOne(
  client: Client,
  { key, value, version, ifVersion, expiresAt }: Mutation<Bytes> & { readonly type: 'set' },
  call: CallOptions,
): Promise<WriteResult> {
  const headers = {
    [names.version]: version,
    'content-type': 'application/octet-stream',
    'if-match': typeof ifVersion === 'string' ? tagOf(ifVersion) : undefined,
    'if-none-match': ifVersion === null ? '*' : undefined,
    [names.ttl]: expiresAt === 'keep' ? 'keep' : undefined,
    [names.expiresAt]: typeof expiresAt === 'number' ? String(expiresAt) : undefined,
  }
  try {
    const answer = await client.ask(
      { method: 'PUT', path: pathOf(key, call), headers, body: value },
      call,
      true,
    )
    const known = versionOf(client, answer, true)
    if (answer.status !== 204 || known.version === undefined) throw client.odd(true)
    return { version: known.version }
  } catch (error) {
    const told = toStoreError(error, {})
    return told.code === 'CONDITION_FAILED' ? { conditionFailed: true, version: told.version } : told
  }
}

function changeOf(mutation: Mutation<Bytes>): object {
  const { type, key, version, ifVersion } = mutation
  const base = { type, canonical: key, version, ifVersion }
  if (type === 'delete') return base
  const { expiresAt } = mutation
  const expiry = expiresAt === 'keep' ? { ttlMs: 'keep' } : { expiresAt }
  if (type === 'set') return { ...base, base64: Buffer.from(mutation.value).toString('base64'), ...expiry }
  if (type === 'touch') return { ...base, ...expiry }
  return { ...base, by: mutation.by, initial: mutation.initial, ...expiry }
}
