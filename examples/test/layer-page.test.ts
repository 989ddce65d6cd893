import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { cache } from '@unikv/cache'
import { compression } from '@unikv/compression'
import { compose, json } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { delta } from '@unikv/delta'
import { encryption, keyring, nameKey } from '@unikv/encryption'
import { monitor } from '@unikv/monitor'
import { parts } from '@unikv/parts'
import { writeBehind } from '@unikv/write-behind'
import { expect, test } from 'vitest'
import { layerTable } from './layer-page.ts'

const keys = keyring({ primary: 'k1', keys: { k1: randomBytes(32) } })

const layers = [
  { title: '`json`, `structured`, `text`, `bytes`', capabilities: compose(memory(), [json()]).capabilities },
  { title: '`monitor()`', capabilities: compose(memory(), [monitor()]).capabilities },
  { title: '`cache()`', capabilities: compose(memory(), [cache()]).capabilities },
  { title: '`cache({ store })`', capabilities: compose(memory(), [cache({ store: memory() })]).capabilities },
  { title: '`writeBehind()`', capabilities: compose(memory(), [writeBehind()]).capabilities },
  { title: '`delta()`', capabilities: compose(memory(), [delta()]).capabilities },
  { title: '`parts()`', capabilities: compose(memory(), [parts()]).capabilities },
  { title: '`compression()`', capabilities: compose(memory(), [compression()]).capabilities },
  {
    title: '`compression({ threads: false })`',
    capabilities: compose(memory(), [compression({ threads: false })]).capabilities,
  },
  {
    title: '`encryption({ … })`',
    capabilities: compose(memory(), [encryption({ dataset: 'd', keys })]).capabilities,
  },
  {
    title: '`encryption({ …, names })`',
    capabilities: compose(memory(), [encryption({ dataset: 'd', keys, names: nameKey(randomBytes(32)) })])
      .capabilities,
  },
]

const page = fileURLToPath(new URL('../../docs/concepts/contract.md', import.meta.url))
const table = `<!-- layers: by vitest run examples/test/layer-page.test.ts -u -->

${layerTable(memory().capabilities, layers)}

<!-- /layers -->`

test('the contract says what layers declare', async () => {
  const text = readFileSync(page, 'utf8').replace(/<!-- layers:[^]*<!-- \/layers -->/, () => table)
  expect(text).toContain(table)
  await expect(text).toMatchFileSnapshot(page)
})
