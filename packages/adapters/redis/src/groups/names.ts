import type { GroupCall } from '@unikv/core'
import { bulk, listOf, textOf } from '../client/replies.ts'
import { layoutOf } from '../layout.ts'
import type { GroupServer } from './group-server.ts'

/** The field of the head: no key is empty. */
export const headField = ''
/** Keys that the server looks at for a page of names. */
const scanCount = 1_000

/**
 * The two keys of a group. They are in no dataset, as the name of one has no dot; and in one slot of a cluster, as what is in
 * braces decides that.
 */
export function groupKeys(dataset: string, group: string): readonly [hash: string, order: string] {
  const start = `${startOf(dataset)}${Buffer.from(group).toString('base64url')}}`
  return [`${start}h`, `${start}z`]
}

/** Names of groups, each once. */
export async function* groupNames(
  server: GroupServer,
  dataset: string,
  prefix: string,
  call: GroupCall,
): AsyncGenerator<readonly string[]> {
  const start = startOf(dataset)
  const seen = new Set<string>()
  for (const { connection } of (await layoutOf(server.connection)).shards) {
    let cursor = '0'
    do {
      const args = [cursor, 'MATCH', `${start}*}h`, 'COUNT', String(scanCount)]
      const page = await server.ask('scan', args, call, pageIn, connection)
      const names = page.keys.map((key) => Buffer.from(key.slice(start.length, -2), 'base64url').toString())
      const fresh = names.filter((name) => name.startsWith(prefix) && !seen.has(name))
      for (const name of fresh) seen.add(name)
      if (fresh.length > 0) yield [...new Set(fresh)]
      cursor = page.cursor
    } while (cursor !== '0')
  }
}

function startOf(dataset: string): string {
  return `${dataset}.g:{`
}

function pageIn(reply: unknown): { readonly cursor: string; readonly keys: readonly string[] } {
  const [cursor, keys] = listOf(reply, 2)
  return { cursor: textOf(cursor), keys: listOf(keys).map((key) => bulk(key).toString()) }
}
