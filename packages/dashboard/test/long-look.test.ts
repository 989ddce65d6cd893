import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { ownServer } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'
import { type OpenPage, openPage } from './in-browser.ts'

// The page beside an application that calls Redis 1,000 times a second, in a process of its own, built.
//   npm run prove -- long-look     ten minutes with the page open, then ten spans of 15 s with and without it

const watchedMs = Number(process.env['UNIKV_WATCHED_MS'] ?? 4_000)
const spanMs = Number(process.env['UNIKV_SPAN_MS'] ?? 1_000)
const spans = Number(process.env['UNIKV_SPANS'] ?? 2)
const token = 'a-token-of-the-tests'

/** The calls of a span of time. */
interface Span {
  readonly calls: number
  readonly p50: number
  readonly p99: number
  readonly rss: number
  readonly heapUsed: number
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function told<T>(application: ChildProcess, order?: string): Promise<T> {
  const answer = once(application, 'message')
  if (order !== undefined) application.send(order)
  const [message] = await answer
  return message as T
}

async function spanOf(application: ChildProcess, ms: number): Promise<Span> {
  application.send('begin')
  await wait(ms)
  return told<Span>(application, 'end')
}

/** Open the page, and note each task of it that takes longer than 50 ms. */
async function watching(url: string): Promise<OpenPage> {
  const opened = await openPage()
  await opened.page.goto(`${url}/#token=${token}`)
  await opened.page.locator('[data-snapshot]').first().waitFor()
  await opened.page.evaluate(`
    window.longTasks = []
    new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' })
  `)
  return opened
}

async function heapOf({ page }: OpenPage): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize
}

const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length
const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`

describeWithOwn('redis', () => {
  test('the page stays small, and the application goes on', async () => {
    await using redis = await ownServer('redis')
    const program = fileURLToPath(new URL('./fixtures/application.mjs', import.meta.url))
    const application = fork(program, [redis.url, token], { execArgv: ['--expose-gc'] })
    const { url } = await told<{ readonly url: string }>(application)
    const opened = await watching(url)
    // Frames of the last five minutes are kept: memory grows until then.
    await wait(watchedMs / 2)
    const [heapBefore, first] = [await heapOf(opened), await spanOf(application, watchedMs / 4)]
    const [last, heapAfter] = [await spanOf(application, watchedMs / 4), await heapOf(opened)]
    const longTasks = await opened.page.evaluate<number[]>('longTasks')
    console.log(
      `page open for ${watchedMs / 1_000} s: ${longTasks.length} tasks above 50 ms (${longTasks.join(', ')}); heap of the page ${mib(heapBefore)}, then ${mib(heapAfter)}; server ${mib(first.rss)}, then ${mib(last.rss)} resident, heap ${mib(first.heapUsed)}, then ${mib(last.heapUsed)}; ${last.calls} calls in the last quarter`,
    )
    await opened.close()
    const pairs: { readonly open: Span; readonly closed: Span }[] = []
    for (let i = 0; i < spans; i++) {
      const closed = await spanOf(application, spanMs)
      const page = await watching(url)
      const open = await spanOf(application, spanMs)
      await page.close()
      pairs.push({ open, closed })
    }
    const ratios = pairs.map(({ open, closed }) => open.p99 / closed.p99)
    const told99 = (side: 'open' | 'closed'): string =>
      pairs.map((pair) => pair[side].p99.toFixed(2)).join(' ')
    console.log(
      `p99 in ms with the page: ${told99('open')}; without: ${told99('closed')}; ratio of each pair ${ratios.map((one) => one.toFixed(2)).join(' ')}, mean ${mean(ratios).toFixed(3)}`,
    )
    application.send('leave')
    await once(application, 'exit')
    expect(heapAfter).toBeLessThan(heapBefore * 1.3 + 2 ** 21)
    expect(last.calls).toBeGreaterThan(0)
  }, 3_600_000)
})
