import type { Bytes, CallOptions, Check, TogetherChange } from '@unikv/core'
import { endOf, isStoreError, type StoreError } from '@unikv/core/adapter'
import type { Backend } from '../backend.ts'
import { perform, scripted } from '../client/commands.ts'
import type { Argument } from '../client/encoded-command.ts'
import { isCluster } from '../client/redis-client.ts'
import { textOf, UnexpectedReply } from '../client/replies.ts'
import { translate } from '../errors.ts'
import { asksReplicas } from './replicas.ts'
import { anyVersion, conditionOf, millisecond, togetherScript } from './scripts.ts'

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
    ...changes.map(stepOf),
  ]
  const command = scripted(
    togetherScript,
    steps.map(([key]) => dataset.prefix + key),
    steps.flatMap(([, ...args]) => args),
  )
  const [result] = await perform<boolean | StoreError>(
    connection,
    [{ ...command, items: [0], resultsOf: (reply) => [done(reply)] }],
    dataset,
    (error) => translate(error, true),
  )
  if (isStoreError(result)) throw result
  return result
}

function stepOf(change: TogetherChange<Bytes>): readonly [key: string, ...Argument[]] {
  const { key, type, ifVersion } = change
  if (type === 'delete') return [key, conditionOf(ifVersion), '', '']
  return [key, conditionOf(ifVersion), change, millisecond(change.expiresAt)]
}

function done(reply: unknown): boolean {
  const said = textOf(reply)
  if (said !== '0' && said !== '1') throw new UnexpectedReply('0 or 1', reply)
  return said === '1'
}
