import type { Bytes, Read, ReadResult } from '@unikv/core'
import { encodeCommand, PrefixedKey, sendEncoded, takesEncoded } from '../client/encoded-command.ts'
import type { RedisConnection } from '../client/redis-client.ts'
import { type Command, perform, scripted } from '../client/redis-commands.ts'
import { drop, listOf } from '../client/replies.ts'
import type { Dataset } from '../dataset.ts'
import { translate } from '../errors.ts'
import type { Format } from '../format.ts'
import { anyVersion, readScript } from './scripts.ts'

type Result = ReadResult<Bytes>

/** Read keys from one server in one round trip. Never rejects. */
export function readFrom(
  connection: RedisConnection,
  reads: readonly Read[],
  dataset: Dataset,
): Promise<readonly Result[]> {
  if (dataset.format.header && reads.some(sparesBody)) return readAny(connection, reads, dataset)
  if (reads.length === 1) return readOne(connection, reads[0] as Read, dataset)
  return dataset.manyKeys ? readMany(connection, reads, dataset) : readAny(connection, reads, dataset)
}

function sparesBody({ head, ifNotVersion }: Read): boolean {
  return head === true || ifNotVersion !== undefined
}

/** The path of nearly every call: one command, one promise. */
function readOne(
  connection: RedisConnection,
  read: Read,
  { prefix, format }: Dataset,
): Promise<readonly Result[]> {
  return connection.getBuffer(prefix + read.key).then(
    (reply) => [decoded(connection, format, reply, read)],
    (error: unknown) => [translate(error, false)],
  )
}

function decoded(connection: RedisConnection, { decode }: Format, reply: unknown, read: Read): Result {
  try {
    return decode(reply, read)
  } catch (error) {
    drop(connection)
    return translate(error, false)
  }
}

/** The path of nearly every batch: in one piece where the driver takes that. */
function readMany(
  connection: RedisConnection,
  reads: readonly Read[],
  { prefix, format, driver }: Dataset,
): Promise<readonly Result[]> {
  const reply =
    driver !== undefined && takesEncoded(connection, driver)
      ? sendEncoded(connection, driver, { name: 'mget' }, encodeKeys(reads, prefix, format))
      : connection.mgetBuffer(reads.map(({ key }) => prefix + key))
  const failed = (error: unknown): readonly Result[] => {
    const failure = translate(error, false)
    return reads.map(() => failure)
  }
  return reply.then((replies) => {
    try {
      return listOf(replies, reads.length).map((one, i) => format.decode(one, reads[i] as Read))
    } catch (error) {
      drop(connection)
      return failed(error)
    }
  }, failed)
}

function encodeKeys(reads: readonly Read[], prefix: string, format: Format): Buffer {
  const keys = reads.map(({ key }) => new PrefixedKey(prefix, key))
  return encodeCommand('mget', keys, format)
}

function readAny(
  connection: RedisConnection,
  reads: readonly Read[],
  dataset: Dataset,
): Promise<readonly Result[]> {
  const whole: number[] = []
  const sparing: number[] = []
  for (const [i, read] of reads.entries())
    (dataset.format.header && sparesBody(read) ? sparing : whole).push(i)
  const commands = [
    ...apart(whole, dataset, (items) => getCommand(reads, items, dataset)),
    ...apart(sparing, dataset, (items) => readCommand(reads, items, dataset)),
  ]
  return perform(connection, commands, (error): Result => translate(error, false))
}

/** Commands for items that one command may serve together, or each alone. */
export function apart<C>(
  items: readonly number[],
  { manyKeys }: Dataset,
  command: (items: readonly number[]) => C,
): readonly C[] {
  if (items.length === 0) return []
  return manyKeys ? [command(items)] : items.map((item) => command([item]))
}

function getCommand(
  reads: readonly Read[],
  items: readonly number[],
  { prefix, format }: Dataset,
): Command<Result> {
  return {
    name: 'mget',
    args: items.map((item) => prefix + (reads[item] as Read).key),
    items,
    resultOf: (reply, n) => format.decode(listOf(reply, items.length)[n], reads[items[n] as number] as Read),
  }
}

function readCommand(
  reads: readonly Read[],
  items: readonly number[],
  { prefix, format }: Dataset,
): Command<Result> {
  const asked = items.map((item) => reads[item] as Read)
  const keys = asked.map(({ key }) => prefix + key)
  const known = asked.map(({ head, ifNotVersion }) =>
    head === true ? anyVersion : Buffer.from(ifNotVersion as string, 'hex'),
  )
  return {
    ...scripted(readScript, keys, known),
    items,
    resultOf: (reply, n) => format.decode(listOf(reply, items.length)[n], asked[n] as Read),
  }
}
