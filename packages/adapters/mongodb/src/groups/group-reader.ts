import type { Bytes, GroupEntry, GroupRange } from '@unikv/core'
import { corrupt } from '@unikv/core/adapter'
import type { Document, MongoClient } from 'mongodb'
import type { Commands } from '../client/commands.ts'
import { batchOf, isEnd } from '../client/replies.ts'
import { bytesForm } from '../values.ts'
import { type IdRange, idsIn, keyOf } from './group-ids.ts'

/** Where groups are. */
export interface GroupsOf {
  readonly client: MongoClient
  readonly commands: Commands
  /** The collection of the groups. */
  readonly collection: string
}

/** Documents of one answer. */
const pageSize = 1_000

/** Reads records of groups by commands, inside of a transaction or outside. */
export class GroupReader {
  readonly #of: GroupsOf
  readonly #run: (command: Document) => Promise<Document>

  constructor(of: GroupsOf, run: (command: Document) => Promise<Document>) {
    this.#of = of
    this.#run = run
  }

  /** The values of these ids that there are. */
  async byIds(ids: readonly string[]): Promise<ReadonlyMap<string, Bytes>> {
    if (ids.length === 0) return new Map()
    const found = await this.find({ _id: { $in: [...new Set(ids)] } }, Infinity)
    return new Map(found.map((document) => [String(document['_id']), valueOf(document)]))
  }

  async list(group: string, range: GroupRange): Promise<readonly GroupEntry[]> {
    const found = await this.find(within(idsIn(group, range)), range.limit)
    return found.map((document) => ({ key: keyOf(String(document['_id'])), value: valueOf(document) }))
  }

  /** Documents in the order of their ids. An answer that is full is followed by others. */
  async find(filter: Document, limit: number): Promise<readonly Document[]> {
    const found: Document[] = []
    const { collection, commands } = this.#of
    const command = { find: collection, filter, sort: { _id: 1 }, batchSize: pageSize }
    let answer = await this.#run(limit < 2 ** 31 ? { ...command, limit } : command)
    for (;;) {
      const { id, batch } = batchOf(normal(answer), pageSize, commands.target.where)
      found.push(...batch)
      if (isEnd(id)) return found
      answer = await this.#run({ getMore: id, collection, batchSize: pageSize })
    }
  }
}

/** A later answer has `nextBatch`. */
function normal(answer: Document): Document {
  const { cursor } = answer
  return cursor?.nextBatch === undefined ? answer : { cursor: { ...cursor, firstBatch: cursor.nextBatch } }
}

/** The filter of a range of ids. */
export function within({ from, to }: IdRange): Document {
  return { _id: { $gte: from, $lt: to } }
}

function valueOf({ v }: Document): Bytes {
  if (v === undefined) throw corrupt('The document of a group', 'has no value')
  return bytesForm.fromField(v)
}
