import type {
  Bytes,
  GroupCall,
  GroupEntry,
  GroupKey,
  GroupRange,
  Groups,
  GroupTransaction,
} from '@unikv/core'
import { callOptions, invalidConfig } from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import type { Backend } from '../backend.ts'
import { headOf, headsIn, idOf, idsIn, nameOf } from './group-ids.ts'
import { GroupReader, type GroupsOf, within } from './group-reader.ts'
import { GroupSession } from './group-session.ts'
import { MongodbTransaction } from './mongodb-transaction.ts'

/** Longest time that making the collection may take. */
const openTimeoutMs = 10_000
/** Names of a page. */
const namesPerPage = 1_000
/** The server knows the collection already. */
const namespaceExists = 48

/**
 * The groups of a dataset, in a collection of their own.
 *
 * @throws {StoreError} `INVALID_CONFIG` on a server without transactions
 */
export async function openGroups({
  client,
  commands,
}: Pick<Backend<never>, 'client' | 'commands'>): Promise<Groups> {
  if (commands.isAlone)
    throw invalidConfig(
      'MongoDB has transactions on a replica set or a sharded cluster alone. Leave transactions out.',
    )
  const collection = `${commands.target.collection}_groups`
  const call = callOptions({ deadlineAt: performance.now() + openTimeoutMs })
  // Inside of a transaction a collection can be made by newer servers alone.
  await commands.run({ create: collection }, call, false).catch((error: unknown) => {
    if ((error as { readonly cause?: { readonly code?: unknown } }).cause?.code !== namespaceExists)
      throw error
  })
  return new MongodbGroups({ client, commands, collection })
}

/** Groups by transactions of MongoDB: a document for each record, and a head for each group. */
class MongodbGroups implements Groups {
  readonly control = 'optimistic'
  readonly maxGroupBytes: number = Number.POSITIVE_INFINITY
  readonly holds = true
  readonly #of: GroupsOf

  constructor(of: GroupsOf) {
    this.#of = of
  }

  begin(group: string, call: GroupCall): GroupTransaction {
    headOf(group)
    return new MongodbTransaction(this.#of, group, call)
  }

  async read(keys: readonly GroupKey[], call: GroupCall): Promise<readonly (Bytes | undefined)[]> {
    const ids = keys.map(({ group, key }) => idOf(group, key))
    const found = await this.#reader(call).byIds(ids)
    return ids.map((id) => found.get(id))
  }

  list(group: string, range: GroupRange, call: GroupCall): Promise<readonly GroupEntry[]> {
    return this.#reader(call).list(group, range)
  }

  async *names(prefix: string, call: GroupCall): AsyncGenerator<readonly string[]> {
    for (let after: string | undefined; ; ) {
      const heads = await this.#reader(call).find(within(headsIn(prefix, after)), namesPerPage)
      const names = heads.map(({ _id }) => nameOf(String(_id)))
      if (names.length > 0) yield names
      if (names.length < namesPerPage) return
      after = names.at(-1)
    }
  }

  /** The head of a group that has no records any more. */
  async forget(group: string, before: number, call: GroupCall): Promise<boolean> {
    const session = new GroupSession(this.#of.client, this.#of.commands, call)
    try {
      const reader = new GroupReader(this.#of, (command) => session.run(command))
      const [record] = await reader.find(within(idsIn(group, { prefix: '' })), 1)
      const [head] = await reader.find({ _id: headOf(group) }, 1)
      if (record !== undefined || head === undefined || Number(head['at']) >= before) return false
      const deletes = [{ q: { _id: headOf(group) }, limit: 1 }]
      await session.run({ delete: this.#of.collection, deletes }, true)
      return await session.commit()
    } catch (error) {
      if ((error as { readonly code?: unknown }).code === 'CONDITION_FAILED') return false
      throw error
    } finally {
      await session.end()
    }
  }

  /** Committed records: those that a majority has. */
  #reader({ deadlineAt, signal }: GroupCall): GroupReader {
    const call = callOptions({ deadlineAt, signal })
    return new GroupReader(this.#of, (command) =>
      this.#of.commands.run(
        'find' in command ? { ...command, readConcern: { level: 'majority' } } : command,
        call,
        false,
      ),
    )
  }
}
