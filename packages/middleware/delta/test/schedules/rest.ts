import type { Bytes, Entry } from '@unikv/core'
import { isUserKey } from '@unikv/core/adapter'
import { readHead } from '../../src/chain/head.ts'
import { partsOf } from '../../src/chain/parts.ts'

/** What is wrong with the records at rest, after a sweep: a part that a head lacks, or that no head names. */
export function wrongParts(alive: ReadonlyMap<string, Entry<Bytes>>, sweptAt: number): string[] {
  const wrong: string[] = []
  const named = namedParts(alive)
  for (const part of named) if (!alive.has(part)) wrong.push('a head names a part that is not there')
  for (const key of alive.keys())
    if (!isUserKey(key) && !named.has(key) && Number.parseInt(key.slice(3, 15), 16) < sweptAt)
      wrong.push('a part is left that no head names')
  return wrong
}

function namedParts(alive: ReadonlyMap<string, Entry<Bytes>>): Set<string> {
  const named = new Set<string>()
  for (const [key, { value }] of alive) {
    if (!isUserKey(key)) continue
    const head = readHead(key, value)
    for (const part of head.kind === 'chain' ? partsOf(key, head) : []) named.add(part)
  }
  return named
}
