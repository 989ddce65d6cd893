import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { EntityDb } from '@unikv/entity'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { authors, books, Note, openNotes, topics } from './fixtures/entity-process.ts'
import { bundle, killed, numbers } from './killed-writer.ts'

const cycles = Number(process.env['UNIKV_CYCLES'] ?? 2)
const seed = Number(process.env['UNIKV_SEED'] ?? 1)

let folder = ''
let script = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unikv-entity-'))
  // Beside the tests, as LMDB is a native module that is not bundled.
  script = fileURLToPath(new URL(`../../node_modules/.entity-writer-${process.pid}.mjs`, import.meta.url))
  await bundle(new URL('fixtures/entity-writer.ts', import.meta.url), script, ['lmdb'])
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await rm(script, { force: true })
})

/** Names of notes that must be there, and of those that may be gone. */
class Told {
  readonly created: Set<string> = new Set()
  readonly deleting: Set<string> = new Set()

  hear(line: string): void {
    const [what = '', book, no] = line.split(' ')
    const name = `${book} ${no}`
    if (what === 'created') this.created.add(name)
    if (what === 'deleting') this.deleting.add(name)
    if (what === 'deleted') this.created.delete(name)
  }

  /** Notes that were created, and that nobody began to delete. */
  get certain(): readonly string[] {
    return [...this.created].filter((name) => !this.deleting.has(name))
  }
}

async function found(db: EntityDb, index: 'topic' | 'author'): Promise<ReadonlySet<string>> {
  const lists =
    index === 'author'
      ? authors.map((author) => db.byIndex(Note, 'author', author))
      : books.flatMap((book) => topics.map((topic) => db.byIndex(Note, ['book', 'topic'], [book, topic])))
  return new Set((await Promise.all(lists)).flat().map(({ book, no }) => `${book} ${no}`))
}

test('no kill leaves an entity that an index cannot find', { timeout: 3_600_000 }, async () => {
  const told = new Told()
  const next = numbers(seed)
  let dangling = 0
  for (let cycle = 1; cycle <= cycles; cycle++) {
    const wanted = 5 + next(60)
    const command = [script, folder, String(cycle * 1_000_000)]
    for (const line of await killed(command, (lines) => lines.length >= wanted, next(20))) told.hear(line)
    const { db, kv } = openNotes(folder)
    const [byTopic, byAuthor] = [await found(db, 'topic'), await found(db, 'author')]
    expect([...byAuthor].sort(), `after cycle ${cycle} of seed ${seed}`).toEqual([...byTopic].sort())
    expect(told.certain.filter((name) => !byTopic.has(name))).toEqual([])
    dangling += (await db.sweep({ olderThanMs: 0 })).dangling
    expect(await db.sweep({ olderThanMs: 0 })).toMatchObject({ entries: byAuthor.size, dangling: 0 })
    await kv.close()
  }
  console.log(
    `${cycles} kills, seed ${seed}: ${told.certain.length} notes are there, ${dangling} entries dangled`,
  )
  expect(told.certain.length).toBeGreaterThanOrEqual(cycles)
})
