import { listen } from '@unikv/http/node'
import { openStores } from '@unikv/manager'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FiguresNow } from '../src/figures.ts'
import { dashboard } from '../src/index.ts'
import { type OpenPage, openPage } from './in-browser.ts'

// Numbers on the page, of the interface and in the text of Prometheus, of the same moment, while an application works.
//   npm run prove -- equal-numbers     1,000 frames of the page

const samples = Number(process.env['UNIKV_SAMPLES'] ?? 6)
const token = 'a-token-of-the-tests'
const manager = await openStores({
  stores: {
    users: { url: 'memory:', layers: ['cache', 'json'] },
    orders: { url: 'memory:', layers: ['json'] },
  },
  monitor: true,
})
const made = dashboard(manager, { tokens: [{ name: 'owner', token, may: 'admin' }] })
const server = await listen(made)
let opened: OpenPage
beforeAll(async () => {
  opened = await openPage()
})
afterAll(async () => {
  await opened?.close()
  made.close()
  await server.close()
  await manager.close()
})

/** Some work of each kind, with failures. */
async function work(i: number): Promise<void> {
  const { users, orders } = manager.stores
  await users.set(`u${i % 50}`, { i })
  await users.getMany([`u${i % 50}`, `u${(i * 7) % 90}`, 'absent'])
  await orders.set(`o${i % 9}`, i, { ifVersion: null }).catch(() => {})
  await orders.get(`o${i % 11}`, { timeoutMs: 1_000 })
  if (i % 5 === 0) await orders.delete(`o${i % 9}`)
  const failing = manager.monitor?.measure('report', () => Promise.reject(new Error('It failed.')))
  if (i % 20 === 0) await failing?.catch(() => {})
  else failing?.catch(() => {})
}

/** What the page shows of one frame: its number, and the counts by store, operation and name. */
interface Shown {
  readonly snapshot: string | null | undefined
  readonly cells: readonly (readonly [name: string, text: string, value: string | null])[]
}

/** A program as text: these tests have no types of browsers. */
const look = `({
  snapshot: document.querySelector('[data-snapshot]')?.getAttribute('data-snapshot'),
  cells: [...document.querySelectorAll('[data-figure]')].map((cell) => [
    cell.getAttribute('data-figure'), cell.textContent, cell.getAttribute('data-value'),
  ]),
})`

function shownBy({ page }: OpenPage): Promise<Shown> {
  return page.evaluate<Shown>(look)
}

async function ask(path: string): Promise<Response> {
  const answer = await fetch(`${server.url}/api/${path}`, { headers: { authorization: `Bearer ${token}` } })
  expect(answer.status, path).toBe(200)
  return answer
}

type Figures = Readonly<Record<string, number | Readonly<Record<string, number>> | undefined>>

/** The figure of the interface under the name that the page gives it. */
function ofInterface(figures: Figures, name: string): number | undefined {
  const names: Readonly<Record<string, string>> = {
    'answered by caches': 'hits',
    'answered by the store': 'misses',
    'conditions failed': 'conditionsFailed',
    'too late': 'late',
    p99: 'p99Ms',
  }
  const found = figures[names[name] ?? name]
  return typeof found === 'object' ? Object.values(found).reduce((sum, one) => sum + one, 0) : found
}

/** The sum of the lines of Prometheus with these labels, over all others. */
function ofText(text: string, metric: string, labels: string): number {
  const lines = text.split('\n').filter((line) => line.startsWith(`unikv_${metric}{${labels}`))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

const metrics: Readonly<Record<string, readonly string[]>> = {
  // Calls that have no answer yet are counted apart there.
  calls: ['calls_total', 'calls_under_way'],
  underWay: ['calls_under_way'],
  failed: ['errors_total'],
  items: ['items_total'],
  absent: ['absent_total'],
  'answered by caches': ['cache_hits_total'],
  'answered by the store': ['cache_misses_total'],
  stale: ['stale_total'],
  'conditions failed': ['conditions_failed_total'],
  'too late': ['late_total'],
  bytes: ['bytes_total'],
}

test(`in ${samples} frames of the page no number differs`, async () => {
  const { page } = opened
  let isOver = false
  const working = (async () => {
    for (let i = 0; !isOver; i++) {
      await work(i)
      if (i % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })()
  let compared = 0
  try {
    await page.goto(`${server.url}/#token=${token}`)
    await page.locator('[data-snapshot]').first().waitFor()
    let last: string | null | undefined
    for (let sample = 0; sample < samples; sample++) {
      let shown = await shownBy(opened)
      for (; shown.snapshot === last; shown = await shownBy(opened)) await page.waitForTimeout(50)
      last = shown.snapshot
      const figures = (await (await ask(`figures?snapshot=${last}`)).json()) as FiguresNow
      const text = await (await ask(`metrics?snapshot=${last}`)).text()
      for (const [label, told, value] of shown.cells) {
        const [, store = '', operation = '', name = ''] = /^(\S+) (\S+) (.+)$/.exec(label) ?? []
        const number = value === null ? Number(told.replace('–', '0').replaceAll(',', '')) : Number(value)
        const asked = ofInterface(figures.stores[store]?.[operation] as unknown as Figures, name) ?? 0
        expect([label, number]).toEqual([label, asked])
        compared++
        const sums = metrics[name]?.map((one) =>
          ofText(text, one, `store="${store}",operation="${operation}"`),
        )
        if (sums !== undefined) expect([label, sums.reduce((sum, one) => sum + one)]).toEqual([label, number])
      }
    }
  } finally {
    isOver = true
    await working
  }
  expect(compared).toBeGreaterThan(samples * 30)
  console.log(`${samples} frames, ${compared} numbers, 0 differences`)
}, 3_600_000)
