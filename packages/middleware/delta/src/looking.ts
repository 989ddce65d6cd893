import {
  type Bytes,
  type CallOptions,
  type DeleteMutation,
  isEntry,
  type SetMutation,
  type Store,
} from '@unikv/core'
import { isUserKey } from '@unikv/core/adapter'
import type { Known } from './chain/chain.ts'
import { readHead } from './chain/head.ts'
import { partsOf } from './chain/parts.ts'
import type { Memory } from './memory.ts'
import type { Planned } from './planning.ts'
import type { Reading } from './reading.ts'
import { strongest } from './step.ts'

/** The result of a look: the value that a set replaces, or the keys of the parts that go with a delete. */
export type Looked = Known | readonly string[]

/** A mutation that may need a look. */
interface Wanted {
  readonly index: number
  readonly mutation: SetMutation<Bytes> | DeleteMutation
}

/** Parts of a look. */
export interface LookingParts {
  readonly inner: Store<Bytes>
  readonly planned: Planned
  readonly reading: Reading
  readonly memory: Memory
}

/** The present state, by index, of the keys that must be known before they are written and are not: in one call for all. */
export async function look(
  parts: LookingParts,
  wanted: readonly Wanted[],
  call: CallOptions,
): Promise<Map<number, Looked>> {
  const unknown = wanted.filter(({ mutation }) => wantsLook(mutation, parts))
  const looked = new Map<number, Looked>()
  if (unknown.length === 0) return looked
  const deletes = unknown.filter(({ mutation }) => mutation.type === 'delete')
  const sets = unknown.filter(({ mutation }) => mutation.type === 'set')
  try {
    const step = strongest(parts.inner, call)
    const heads = await parts.inner.read(
      [...deletes, ...sets].map(({ mutation: { key } }) => ({ key })),
      step,
    )
    for (const [i, { index, mutation }] of deletes.entries()) {
      const head = heads[i]
      if (isEntry(head)) looked.set(index, namedBy(mutation.key, head.value))
    }
    const asked = sets.map(({ mutation: { key } }) => ({ key }))
    const found = await parts.reading.resolve(asked, heads.slice(deletes.length), step)
    for (const [i, { index }] of sets.entries()) {
      const one = found[i]
      if (one !== undefined && 'known' in one) looked.set(index, one.known)
    }
  } catch {
    // Without an answer, write as if nothing were known.
  }
  return looked
}

function wantsLook(mutation: Wanted['mutation'], { memory, planned }: LookingParts): boolean {
  if (!isUserKey(mutation.key) || memory.get(mutation.key) !== undefined) return false
  if (mutation.type === 'delete') return true
  const { readBeforeWrite, minBytes } = planned.settings
  return readBeforeWrite && mutation.ifVersion !== null && mutation.value.length >= minBytes
}

/** The parts that a record at a user's key names; none if it cannot be told. */
function namedBy(key: string, record: Bytes): readonly string[] {
  try {
    const head = readHead(key, record)
    return head.kind === 'chain' ? partsOf(key, head) : []
  } catch {
    return []
  }
}
