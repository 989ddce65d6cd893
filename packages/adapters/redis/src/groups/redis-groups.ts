import {
  type Bytes,
  type GroupCall,
  type GroupEntry,
  type GroupKey,
  type GroupRange,
  isStoreError,
  newVersion,
  type StoreError,
} from '@unikv/core'
import {
  endOf,
  type GroupCheck,
  type GroupCommit,
  type GroupHead,
  GroupMemory,
  type GroupStep,
  type GroupStepAnswer,
  type NumberedStore,
} from '@unikv/core/adapter'
import { pause } from '@unikv/core/platform'
import { listOf } from '../client/replies.ts'
import { changeArguments, checkArguments, commitArguments, rangeArguments } from './group-arguments.ts'
import { fateIn, headIn, stepAnswerIn, valueIn } from './group-replies.ts'
import { commitScript, forgetScript, stepScript } from './group-scripts.ts'
import type { GroupServer } from './group-server.ts'
import { groupKeys, groupNames, headField } from './names.ts'

/** Between two attempts to learn what became of a commit. */
const pauseMs = 20

/** Groups in Redis: the server checks and changes in one script. */
export class RedisGroups implements NumberedStore {
  readonly #server: GroupServer
  readonly #dataset: string

  constructor(server: GroupServer, dataset: string) {
    this.#server = server
    this.#dataset = dataset
  }

  step(step: GroupStep, call: GroupCall): Promise<GroupStepAnswer | undefined> {
    const { group, keys, range, check } = step
    if (check === undefined && range === undefined) return this.#values(group, keys, call)
    const args = [
      ...(check === undefined
        ? ['0']
        : ['1', check.head.birth, String(check.head.commits), ...checkArguments(check)]),
      String(keys.length),
      ...keys,
      ...(range === undefined ? ['0'] : ['1', ...rangeArguments(range)]),
    ]
    return this.#server.run(
      { script: stepScript, keys: this.#keysOf(group), args, isWrite: false },
      call,
      stepAnswerIn,
    )
  }

  async commit(commit: GroupCommit, call: GroupCall): Promise<boolean> {
    // Without a state that was seen, one that comes late could not be told from a new one.
    const check = commit.check ?? { head: await this.#headOf(commit.group, call), keys: [], ranges: [] }
    const token = newVersion()
    const memory = new GroupMemory(check.head.birth !== '', call)
    try {
      return (await this.#commit(commit, check, token, false, call)) === true
    } catch (error) {
      if (!isUnknown(error)) throw error
      return this.#settle(commit, check, token, { error, memory }, call)
    }
  }

  async read(keys: readonly GroupKey[], call: GroupCall): Promise<readonly (Bytes | undefined)[]> {
    const byGroup = new Map<string, number[]>()
    for (const [i, { group }] of keys.entries()) {
      const places = byGroup.get(group)
      if (places === undefined) byGroup.set(group, [i])
      else places.push(i)
    }
    const values: (Bytes | undefined)[] = keys.map(() => undefined)
    const readGroup = async ([group, places]: readonly [string, readonly number[]]): Promise<void> => {
      const found = await this.#values(
        group,
        places.map((i) => (keys[i] as GroupKey).key),
        call,
      )
      for (const [n, i] of places.entries()) values[i] = found.values[n]
    }
    await Promise.all([...byGroup].map(readGroup))
    return values
  }

  async list(group: string, range: GroupRange, call: GroupCall): Promise<readonly GroupEntry[]> {
    const found = await this.step({ group, keys: [], range, check: undefined }, call)
    return found?.entries ?? []
  }

  names(prefix: string, call: GroupCall): AsyncIterable<readonly string[]> {
    return groupNames(this.#server, this.#dataset, prefix, call)
  }

  forget(group: string, before: number, call: GroupCall): Promise<boolean> {
    const run = { script: forgetScript, keys: this.#keysOf(group), args: [String(before)], isWrite: true }
    return this.#server.run(run, call, (reply) => Number(reply) === 1)
  }

  #commit(
    { group, changes, now }: GroupCommit,
    check: GroupCheck,
    token: string,
    isAgain: boolean,
    call: GroupCall,
  ): Promise<boolean | undefined> {
    const args = [
      ...commitArguments(check.head, token, now),
      ...changeArguments(changes),
      ...checkArguments(check),
      isAgain ? '1' : '0',
    ]
    return this.#server.run(
      { script: commitScript, keys: this.#keysOf(group), args, isWrite: true },
      call,
      fateIn,
    )
  }

  /**
   * After a lost answer the same commit is sent again: the server answers it as before, or decides it once. Where the group may have forgotten it,
   * it cannot be told.
   */
  async #settle(
    commit: GroupCommit,
    check: GroupCheck,
    token: string,
    lost: { readonly error: StoreError; readonly memory: GroupMemory },
    call: GroupCall,
  ): Promise<boolean> {
    while (endOf(call, true) === undefined && lost.memory.lasts) {
      try {
        const fate = await this.#commit(commit, check, token, true, call)
        if (fate === undefined) break
        return fate
      } catch (error) {
        if (!isUnknown(error) && !(isStoreError(error) && error.retryable)) break
      }
      await pause(pauseMs)
    }
    throw lost.error
  }

  /** One command is quicker than a script. */
  async #values(group: string, keys: readonly string[], call: GroupCall): Promise<GroupStepAnswer> {
    const [hash] = this.#keysOf(group)
    return this.#server.ask('hmget', [hash, headField, ...keys], call, (reply) => {
      const [head, ...values] = listOf(reply, keys.length + 1)
      return { head: headIn(head), values: values.map(valueIn), entries: [] }
    })
  }

  async #headOf(group: string, call: GroupCall): Promise<GroupHead> {
    return (await this.#values(group, [], call)).head
  }

  #keysOf(group: string): readonly [hash: string, order: string] {
    return groupKeys(this.#dataset, group)
  }
}

function isUnknown(error: unknown): error is StoreError {
  return isStoreError(error) && error.code === 'OUTCOME_UNKNOWN'
}
