import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recordsOf } from '@unikv/core/adapter'
import { listen } from '@unikv/http/node'
import { openStores } from '@unikv/manager'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dashboard } from '../src/index.ts'
import { openBrowser, openPage } from './browsing.ts'

// Very many keys and very large values in a real browser. `npm run prove -- large-data` has ten million and 100 MB, and prints times.

const many = Number(process.env['UNIKV_KEYS'] ?? 20_000)
const largeBytes = Number(process.env['UNIKV_LARGE_BYTES'] ?? 5_000_000)
const folder = mkdtempSync(join(process.env['UNIKV_TEST_DATA'] ?? tmpdir(), 'unikv-large-'))
const manager = await openStores({
  stores: { keys: `lmdb:${join(folder, 'keys')}`, values: `lmdb:${join(folder, 'values')}` },
  monitor: true,
})
const { keys, values } = manager.stores
const made = dashboard(manager, { unprotected: true })
const server = await listen(made)
/** Longest time for a test: ten million records take long to write. */
const long = 1_800_000

let browser: Browser
let page: Page
let session: CDPSession

beforeAll(async () => {
  const value = new Uint8Array(8)
  for (let from = 0; from < many; from += 10_000)
    await keys.setMany(
      Array.from({ length: Math.min(10_000, many - from) }, (_, i) => [keyOf(from + i), value] as const),
      { timeoutMs: 60_000 },
    )
  await values.set('bytes', new Uint8Array(largeBytes).fill(200), { timeoutMs: 60_000 })
  await values.set(
    'json',
    Buffer.from(
      JSON.stringify(
        Array.from({ length: 150_000 }, (_, i) => ({ id: i, name: `name ${i}`, list: [1, 2, 3] })),
      ),
    ),
  )
  browser = await openBrowser()
  ;({ page } = await openPage(browser))
  await page.addInitScript(() => {
    const tasks: number[] = []
    Object.assign(globalThis, { longTasks: tasks })
    new PerformanceObserver((list) =>
      tasks.push(...list.getEntries().map(({ duration }) => duration)),
    ).observe({
      entryTypes: ['longtask' as 'measure'],
    })
  })
  session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
}, long)
afterAll(async () => {
  await browser?.close()
  made.close()
  await server.close()
  await manager.close()
  rmSync(folder, { recursive: true })
})

function keyOf(i: number): string {
  if (i % 5 < 2) return `session:${((i * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0')}${i}`
  return i % 5 === 2 ? `order:2026-${String((i % 12) + 1).padStart(2, '0')}:${i}` : `user:${i}:profile`
}

/** Say a figure of the proof: times are told, never judged. */
function tell(what: string, value: number, unit: string): void {
  if (process.env['UNIKV_KEYS'] !== undefined)
    process.stdout.write(`large-data: ${what}: ${value.toFixed(value < 10 ? 2 : 0)} ${unit}\n`)
}

async function heapMegabytes(): Promise<number> {
  const { metrics } = (await session.send('Performance.getMetrics')) as {
    readonly metrics: readonly { readonly name: string; readonly value: number }[]
  }
  return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0) / 1e6
}

/** The longest task of the page since it was loaded, in milliseconds; 0: none was long. */
function longestTask(): Promise<number> {
  return page.evaluate<number>('Math.max(0, ...longTasks.splice(0))')
}

/** The time from a step until something is in sight, as the page has it, in milliseconds. */
async function timed(step: string, selector: string): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve, reject) => {
    const begun = performance.now()
    const look = () => {
      const time = performance.now() - begun
      if (document.querySelector(${JSON.stringify(selector)}) !== null) resolve(time)
      else if (time > 60000) reject(new Error(${JSON.stringify(`${selector} did not come.`)}))
      else requestAnimationFrame(look)
    }
    ${step}
    requestAnimationFrame(look)
  })`)
}

const open = (place: string): string => `location.hash = ${JSON.stringify(`#data/${place}`)}`

test(
  'the first page of very many keys takes what two reads of the store take, and little more',
  async () => {
    await page.goto(`${server.url}/#facts`)
    await page.locator('main h1').waitFor()
    await longestTask()
    const records = recordsOf(keys)
    const range = { prefix: '', pageSize: 256, values: false }
    const own: number[] = []
    for (const gte of ['\u0001', 'order;'])
      for (let i = 0; i < 5; i += 1) {
        const begun = performance.now()
        await records.page({ ...range, gte })
        own[i] = (own[i] ?? 0) + performance.now() - begun
      }
    tell('two reads of the store, the slowest of five', Math.max(...own), 'ms')
    tell('first page in the browser', await timed(open('keys'), '.row'), 'ms')
    await expect
      .poll(() => page.getByRole('treeitem').allTextContents())
      .toEqual(['order:', 'session:', 'More …'])
    const groups = '.row:nth-child(3):not(.row-busy):not(.row-more)'
    tell('all groups', await timed("document.querySelector('.row-more').click()", groups), 'ms')
    await page.getByText('session:').click()
    await page.locator('a.row').first().waitFor()
    tell('longest task', await longestTask(), 'ms')
    tell('memory of the page', await heapMegabytes(), 'MB')
  },
  long,
)

test(
  'a very large value is shown in part, and all of it is downloaded',
  async () => {
    for (let i = 0; i < 5; i += 1) {
      const begun = performance.now()
      await values.get('bytes')
      tell('the store reads it', performance.now() - begun, 'ms')
      tell('it opens', await timed(open('values/bytes'), '.entry[aria-label="bytes"] pre'), 'ms')
      tell('longest task', await longestTask(), 'ms')
      if (i < 4) await timed(open('values/none'), '.entry .status')
    }
    expect(await page.locator('.entry pre').textContent()).toMatch(/^000000 {2}c8 c8/)
    tell('longest task', await longestTask(), 'ms')
    tell('memory of the page', await heapMegabytes(), 'MB')
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    const begun = performance.now()
    const file = await (await download).createReadStream()
    let length = 0
    for await (const part of file) length += (part as Uint8Array).length
    tell('downloaded', performance.now() - begun, 'ms')
    expect(length).toBe(largeBytes)
  },
  long,
)

test(
  'JSON of ten megabytes is shown as text, and not as a tree',
  async () => {
    const time = await timed(open('values/json'), '.entry[aria-label="json"] pre')
    tell('JSON of 7 MB opens', time, 'ms')
    await page.getByText('It is too long for a tree: download it.').waitFor()
    expect(await page.locator('.json').count()).toBe(0)
    tell('longest task', await longestTask(), 'ms')
  },
  long,
)
