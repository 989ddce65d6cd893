import type { Bytes, CallOptions, Check, TogetherChange } from '@unikv/core'
import { endOf, isStoreError, type StoreError } from '@unikv/core/adapter'
import type { Backend } from '../backend.ts'
import { isCluster } from '../client/redis-client.ts'
import { perform, scripted } from '../client/redis-commands.ts'
import { textOf, UnexpectedReply } from '../client/replies.ts'
import { translate } from '../errors.ts'
import { type Format, storedBytes } from '../format.ts'
import { asksReplicas } from './replicas.ts'
import { anyVersion, millisecond, togetherScript } from './scripts.ts'

/** Changes that take effect together, by one script. In a cluster keys lie on several servers, so its stores lack this. */
export async function together(
  { servers, connection, dataset }: Backend,
  changes: readonly TogetherChange<Bytes>[],
  checks: readonly Check[],
  call: CallOptions,
): Promise<boolean | undefined> {
  call.sent = false
  if (isCluster(connection) || asksReplicas(call)) return undefined
  if (!servers.isReady(connection, call)) await servers.ready(connection, call)
  const end = endOf(call, true)
  if (end !== undefined) throw end
  call.sent = true
  const steps = [
    ...checks.map(({ key, version }) => [key, conditionOf(version), anyVersion, ''] as const),
    ...changes.map((change) => stepOf(change, dataset.format)),
  ]
  const command = scripted(
    togetherScript,
    steps.map(([key]) => dataset.prefix + key),
    steps.flatMap(([, ...args]) => args),
  )
  const [result] = await perform<boolean | StoreError>(
    connection,
    [{ ...command, items: [0], resultOf: done }],
    (error) => translate(error, true),
  )
  if (isStoreError(result)) throw result
  return result
}

type Step = readonly [key: string, condition: string | Buffer, record: string | Buffer, expiry: string]

function stepOf(change: TogetherChange<Bytes>, format: Format): Step {
  const { key, type, ifVersion } = change
  if (type === 'delete') return [key, conditionOf(ifVersion), '', '']
  const expiry = change.expiresAt === 'keep' ? 'keep' : millisecond(change.expiresAt)
  return [key, conditionOf(ifVersion), storedBytes(change, format), expiry]
}

function conditionOf(version: string | null): string | Buffer {
  return version === null ? '' : Buffer.from(version, 'hex')
}

function done(reply: unknown): boolean {
  const said = textOf(reply)
  if (said !== '0' && said !== '1') throw new UnexpectedReply('0 or 1', reply)
  return said === '1'
}
