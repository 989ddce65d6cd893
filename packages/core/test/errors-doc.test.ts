import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { errorCodes } from '../src/adapter/index.ts'
import { type Bytes, keyValue, StoreError } from '../src/index.ts'
import { type MemoryStore, memory } from '../src/memory/memory.ts'

const page = readFileSync(new URL('../../../docs/reference/errors.md', import.meta.url), 'utf8')
const sections = page
  .split(/^## /m)
  .slice(1)
  .map((section) => [section.slice(0, section.indexOf('\n')), section] as const)

test('every error code has one heading in the reference, in the same order, and no other has', () => {
  expect(sections.map(([heading]) => heading)).toEqual([...errorCodes])
})

test.each(errorCodes)('%s says when it is raised, whether a retry helps, and what to do', (code) => {
  const section = sections.find(([heading]) => heading === code)?.[1] ?? ''
  expect(section).toContain('**Raised**')
  expect(section).toContain('**What to do:**')
  const retryable = /\*\*Retryable:\*\* (yes|no)\b/.exec(section)?.[1]
  expect(retryable).toBe(new StoreError(code, 'a message').retryable ? 'yes' : 'no')
})

test('the calls of several keys that reject with PARTIAL are those that PARTIAL names', async () => {
  const inner = memory()
  const failed = new StoreError('CORRUPT', 'a message')
  const store: MemoryStore = {
    ...inner,
    read: (reads, call) => (reads.length > 1 ? reads.map(() => failed) : inner.read(reads, call)),
    write: (mutations) => mutations.map(() => failed),
  }
  const kv = keyValue(store)
  const value: Bytes = Buffer.from('x')
  const calls = {
    getMany: () => kv.getMany(['a', 'b']),
    setMany: () => kv.setMany(['a', 'b'].map((key) => [key, value])),
    deleteMany: () => kv.deleteMany(['a', 'b']),
    write: () => kv.write(['a', 'b'].map((key) => ({ type: 'delete', key }))),
  }
  const section = sections.find(([heading]) => heading === 'PARTIAL')?.[1] ?? ''
  for (const [name, call] of Object.entries(calls)) {
    await expect(call()).rejects.toMatchObject({ code: 'PARTIAL', results: [{ code: 'CORRUPT' }, {}] })
    expect(section).toContain(`\`${name}\``)
  }
})
