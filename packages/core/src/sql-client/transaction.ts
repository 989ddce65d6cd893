import { type Fate, isOutcomeUnknown, settled } from '../adapter/groups/settled.ts'
import type { Bytes } from '../contract/bytes.ts'
import { isStoreError, StoreError } from '../contract/errors.ts'
import type { GroupCall, GroupChange, GroupEntry, GroupRange, GroupTransaction } from '../contract/groups.ts'
import { compareKeys } from '../keys/canonical-key.ts'

/** Ends a transaction: a `Session`. */
interface Ends {
  commit(): Promise<void>
  end(): Promise<void>
  undo(): Promise<void>
}

/** A serializable transaction of a database on one group. `K`: what a commit is known by in the server. */
export abstract class SqlTransaction<S extends Ends, K> implements GroupTransaction {
  protected readonly group: string
  protected readonly session: S
  readonly #call: GroupCall

  constructor(group: string, session: S, call: GroupCall) {
    this.group = group
    this.session = session
    this.#call = call
  }

  async get(keys: readonly string[]): Promise<readonly (Bytes | undefined)[]> {
    if (keys.length === 0) return []
    // In one order, so that transactions that lock what they read do not wait for each other in a circle.
    const sorted = [...new Set(keys)].sort(compareKeys)
    const values = await this.read(sorted)
    if (keys.length === 1) return values
    const byKey = new Map(sorted.map((key, i) => [key, values[i]]))
    return keys.map((key) => byKey.get(key))
  }

  abstract list(range: GroupRange): Promise<readonly GroupEntry[]>

  async commit(changes: readonly GroupChange[]): Promise<boolean> {
    try {
      for (const { key } of changes) this.check(key)
      if (changes.length > 0) await this.#commitChanges(changes)
      else await this.session.end()
      return true
    } catch (error) {
      await this.rollback()
      if (isStoreError(error) && error.code === 'CONDITION_FAILED') return false
      throw error
    }
  }

  rollback(): Promise<void> {
    return this.session.undo()
  }

  /** Refuse a key that does not fit. @throws {StoreError} `INVALID_KEY`, `KEY_TOO_LONG` */
  protected abstract check(key: string): void

  /** Values by the places of the keys. */
  protected abstract read(keys: readonly string[]): Promise<readonly (Bytes | undefined)[]>

  /** Make changes, in the order of their keys, so that two commits do not wait for each other in a circle. */
  protected abstract write(changes: readonly GroupChange[]): Promise<K>

  /** The fate of a commit whose answer was lost. */
  protected abstract fateOf(known: K, call: GroupCall): Promise<Fate>

  /** Nothing will ask for the fate of this commit any more. */
  protected done(_known: K): void {
    // Nothing was left behind.
  }

  /** The commit alone is a write: while it is not sent, nothing can have been changed. */
  async #commitChanges(changes: readonly GroupChange[]): Promise<void> {
    const known = await this.write([...changes].sort((a, b) => compareKeys(a.key, b.key)))
    try {
      await this.session.commit()
    } catch (error) {
      if (!isOutcomeUnknown(error)) throw error
      const ask = (): Promise<Fate> => {
        const { deadlineAt, signal } = this.#call
        return this.fateOf(known, { deadlineAt, signal })
      }
      if (!(await settled(this.#call, error, ask))) throw notCommitted(error)
    }
    this.done(known)
  }
}

function notCommitted(cause: StoreError): StoreError {
  const message = 'The connection was lost before the commit; nothing was changed.'
  return new StoreError('UNAVAILABLE', message, { cause })
}

/** Names of a page. */
const namesPerPage = 1_000

/** Pages of the names of groups. `page`: so many that come after a name. */
export async function* namePages(
  page: (after: string | undefined, most: number) => Promise<readonly string[]>,
): AsyncGenerator<readonly string[]> {
  for (let after: string | undefined; ; ) {
    const names = await page(after, namesPerPage)
    if (names.length > 0) yield names
    if (names.length < namesPerPage) return
    after = names.at(-1)
  }
}
