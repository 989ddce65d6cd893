import type { Bytes, Read, ReadResult } from '@unikv/core'
import { type Command, perform, scripted } from '../client/commands.ts'
import { PrefixedKey } from '../client/encoded-command.ts'
import type { RedisConnection } from '../client/redis-client.ts'
import { drop, listOf } from '../client/replies.ts'
import type { Dataset } from '../dataset.ts'
import { translate } from '../errors.ts'
import { anyVersion, readScript } from './scripts.ts'

type Result = ReadResult<Bytes>

/** Read keys from one server in one round trip. Never rejects. */
export function readFrom(
  connection: RedisConnection,
  reads: readonly Read[],
  dataset: Dataset,
): Promise<readonly Result[]> {
  const { header } = dataset.format
  const isSparing = (read: Read) => header && (read.head === true || read.ifNotVersion !== undefined)
  const [first] = reads as readonly [Read]
  if (reads.length === 1 && !isSparing(first)) return readOne(connection, first, dataset)
  const all = reads.map((_, i) => i)
  const sparing = header ? all.filter((i) => isSparing(reads[i] as Read)) : []
  const whole = sparing.length === 0 ? all : all.filter((i) => !isSparing(reads[i] as Read))
  const commands = [
    ...apart(whole, dataset, (items) => getCommand(reads, items, dataset)),
    ...apart(sparing, dataset, (items) => readCommand(reads, items, dataset)),
  ]
  return perform(connection, commands, dataset, (error): Result => translate(error, false))
}

/** The path of nearly every call: one command, one promise. */
function readOne(
  connection: RedisConnection,
  read: Read,
  { prefix, format }: Dataset,
): Promise<readonly Result[]> {
  return connection.getBuffer(prefix + read.key).then(
    (reply) => {
      try {
        return [format.decode(reply, read)]
      } catch (error) {
        drop(connection)
        return [translate(error, false)]
      }
    },
    (error: unknown) => [translate(error, false)],
  )
}

/** Commands for items that one command may serve together, or each alone. */
function apart<C>(
  items: readonly number[],
  { manyKeys }: Dataset,
  command: (items: readonly number[]) => C,
): readonly C[] {
  if (items.length === 0) return []
  return manyKeys ? [command(items)] : items.map((item) => command([item]))
}

function getCommand(reads: readonly Read[], items: readonly number[], dataset: Dataset): Command<Result> {
  const asked = items.map((item) => reads[item] as Read)
  return { name: 'mget', args: keysOf(asked, dataset), items, resultsOf: decoded(asked, dataset) }
}

function readCommand(reads: readonly Read[], items: readonly number[], dataset: Dataset): Command<Result> {
  const asked = items.map((item) => reads[item] as Read)
  const known = asked.map(({ head, ifNotVersion }) =>
    head === true ? anyVersion : Buffer.from(ifNotVersion as string, 'hex'),
  )
  const command = scripted(readScript, keysOf(asked, dataset), known)
  return { ...command, items, resultsOf: decoded(asked, dataset) }
}

function keysOf(reads: readonly Read[], { prefix }: Dataset): readonly PrefixedKey[] {
  return reads.map(({ key }) => new PrefixedKey(prefix, key))
}

function decoded(reads: readonly Read[], { format }: Dataset): (reply: unknown) => readonly Result[] {
  return (reply) => listOf(reply, reads.length).map((one, i) => format.decode(one, reads[i] as Read))
}
