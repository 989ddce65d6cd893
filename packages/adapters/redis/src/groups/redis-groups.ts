import {
  type Bytes,
  type GroupCall,
  type GroupEntry,
  type GroupKey,
  type GroupRange,
  newVersion,
} from '@unikv/core'
import {
  type Fate,
  type GroupCheck,
  type GroupCommit,
  type GroupHead,
  type GroupStep,
  type GroupStepAnswer,
  isOutcomeUnknown,
  type NumberedStore,
  settled,
} from '@unikv/core/adapter'
import { listOf } from '../client/replies.ts'
import { changeArguments, checkArguments, commitArguments, rangeArguments } from './group-arguments.ts'
import { fateIn, headIn, stepAnswerIn, valueIn } from './group-replies.ts'
import { commitScript, forgetScript, stepScript } from './group-scripts.ts'
import type { GroupServer } from './group-server.ts'
import { groupKeys, groupNames, headField } from './names.ts'

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
    try {
      return (await this.#commit(commit, check, token, false, call)) === 'committed'
    } catch (error) {
      if (!isOutcomeUnknown(error)) throw error
      // The server answers it as before, or decides it once.
      return settled(call, error, () => this.#commit(commit, check, token, true, call))
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
  ): Promise<Fate> {
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
