import { readFileSync } from 'node:fs'
import { runInThisContext } from 'node:vm'
import { expect, test } from 'vitest'
import { structured } from '../src/codecs/structured.ts'
import { keyValue } from '../src/index.ts'
import { memory } from '../src/memory/memory.ts'

const page = readFileSync(new URL('../../../docs/reference/structured.md', import.meta.url), 'utf8')
const examples = (/^```js\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? '').trim().split('\n')

test('the specification has examples', () => {
  expect(examples.length).toBeGreaterThan(15)
})

test.each(examples)('structured is as specified: %s', async (line) => {
  const [source = '', text = ''] = line.split(' // ')
  const value: unknown = runInThisContext(`(${source})`)
  const store = memory()
  const kv = keyValue(store, [structured<unknown>()])

  await kv.set('k', value)
  expect(Buffer.from(store.native.get('k')?.value ?? []).toString()).toBe(text)

  await keyValue(store).set('k', Buffer.from(text))
  expect(await kv.get('k')).toStrictEqual(value)
})
