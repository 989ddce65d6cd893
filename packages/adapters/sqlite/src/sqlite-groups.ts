import {
  type Bytes,
  type GroupCall,
  type GroupEntry,
  type GroupKey,
  type GroupRange,
  StoreError,
} from '@unikv/core'
import type { GroupCommit, GroupStep, GroupStepAnswer, NumberedStore } from '@unikv/core/adapter'
import type { OwnThread, WorkerThreads } from './client/access.ts'
import type { GroupRead, GroupReadAnswer, GroupWrite } from './groups/group-jobs.ts'

/** Most bytes of a group and a key in it. */
export const maxGroupKeyBytes = 2_048

/** Groups in tables of their own beside that of the dataset: a commit checks and changes in one transaction. */
export class SqliteGroups implements NumberedStore {
  readonly #access: OwnThread | WorkerThreads
  readonly #readOnly: boolean

  constructor(access: OwnThread | WorkerThreads, readOnly: boolean) {
    this.#access = access
    this.#readOnly = readOnly
  }

  async step(step: GroupStep, call: GroupCall): Promise<GroupStepAnswer | undefined> {
    const answer = await this.#ask<'step'>({ kind: 'step', step }, call)
    return answer && { ...answer, values: answer.values.map(bufferOf), entries: answer.entries.map(entryOf) }
  }

  commit(commit: GroupCommit, call: GroupCall): Promise<boolean> {
    return this.#write({ kind: 'commit', commit }, call)
  }

  async read(keys: readonly GroupKey[], call: GroupCall): Promise<readonly (Bytes | undefined)[]> {
    return (await this.#ask<'read'>({ kind: 'read', keys }, call)).map(bufferOf)
  }

  async list(group: string, range: GroupRange, call: GroupCall): Promise<readonly GroupEntry[]> {
    return (await this.#ask<'list'>({ kind: 'list', group, range }, call)).map(entryOf)
  }

  async *names(prefix: string, call: GroupCall): AsyncGenerator<readonly string[]> {
    let after: string | undefined
    for (;;) {
      const page: readonly string[] = await this.#ask<'names'>({ kind: 'names', prefix, after }, call)
      if (page.length === 0) return
      yield page
      after = page.at(-1)
    }
  }

  forget(group: string, before: number, call: GroupCall): Promise<boolean> {
    return this.#write({ kind: 'forget', group, before }, call)
  }

  async #ask<K extends GroupRead['kind']>(read: GroupRead, call: GroupCall): Promise<GroupReadAnswer[K]> {
    const [answer] = await this.#access.ask({ verb: 'groupRead', read }, call)
    return answer as GroupReadAnswer[K]
  }

  async #write(write: GroupWrite, call: GroupCall): Promise<boolean> {
    if (this.#readOnly)
      throw new StoreError('ACCESS_DENIED', 'This store was opened with readOnly: true; nothing was changed.')
    call.sent = false
    const [hasEffect] = await this.#access.ask({ verb: 'groupWrite', write }, call)
    return hasEffect
  }
}

function entryOf({ key, value }: GroupEntry): GroupEntry {
  return { key, value: bufferOf(value) as Bytes }
}

/** From a thread come bytes that are not a Buffer. */
function bufferOf(value: Bytes | undefined): Buffer | undefined {
  return value && Buffer.from(value.buffer, value.byteOffset, value.length)
}
