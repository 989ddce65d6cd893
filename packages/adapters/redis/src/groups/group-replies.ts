import type { Bytes, GroupEntry } from '@unikv/core'
import { type Fate, type GroupHead, type GroupStepAnswer, noGroup } from '@unikv/core/adapter'
import { bulk, bulkOrNull, listOf, textOf, UnexpectedReply } from '../client/replies.ts'

const space = 0x20

/** The head of a group; `''` or nothing: there is no such group. */
export function headIn(reply: unknown): GroupHead {
  const text = reply === null ? '' : textOf(reply)
  if (text === '') return noGroup
  const [, birth, commits] = /^([0-9a-f]+) (\d+) \d+$/.exec(text) ?? []
  if (birth === undefined || commits === undefined) throw new UnexpectedReply('the head of a group', reply)
  return { birth, commits: Number(commits) }
}

/** A value, without the number of its commit. */
export function valueIn(reply: unknown): Bytes | undefined {
  const bytes = bulkOrNull(reply)
  if (bytes === null) return undefined
  const at = bytes.indexOf(space)
  if (at < 1) throw new UnexpectedReply('a value of a group', reply)
  return bytes.subarray(at + 1)
}

/** The answer of the script that reads; `undefined`: something that was read before has changed. */
export function stepAnswerIn(reply: unknown): GroupStepAnswer | undefined {
  if (!Array.isArray(reply)) {
    if (textOf(reply) === 'lost') return undefined
    throw new UnexpectedReply('reads of a group', reply)
  }
  const [head, values, keys, found] = listOf(reply, 4)
  const texts = listOf(keys).map(textOf)
  const bodies = listOf(found, texts.length)
  const entries = texts.map((key, i): GroupEntry => ({ key, value: valueIn(bulk(bodies[i])) as Bytes }))
  return { head: headIn(head), values: listOf(values).map(valueIn), entries }
}

/** The fate of a commit. */
export function fateIn(reply: unknown): Fate {
  const text = textOf(reply)
  if (text === '?') return 'forgotten'
  if (text === '1' || text === '0') return text === '1' ? 'committed' : 'not committed'
  throw new UnexpectedReply('the fate of a commit', reply)
}
