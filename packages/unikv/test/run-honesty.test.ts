import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResultOf } from '@unikv/bench/studies'
import { block, faultProxy } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { run } from '../src/cli/program.ts'
import { root, typed } from './command-line.ts'

/** Run `unikv bench run` in this process; `onEvent` is told of each step, such as `interval`. */
async function bench(args: string, onEvent: (type: string) => void) {
  const out = join(root, 'honest')
  await rm(out, { recursive: true, force: true })
  const fixed = typed(`--preset c --records 100 --warmup 0 --runs 1 --out ${out} --progress json`)
  let errors = ''
  const code = await run({
    arguments: ['bench', 'run', ...args.split(' '), ...fixed],
    out: () => {},
    error: (text) => {
      errors += text
      const type = /^{"type":"(\w+)"/.exec(text)?.[1]
      if (type !== undefined) onEvent(type)
    },
    columns: undefined,
    onInterrupt: () => {},
  })
  return {
    code,
    errors,
    result: JSON.parse(await readFile(join(out, 'result.json'), 'utf8')) as ResultOf<'run'>,
  }
}

/** Other work of this process, four fifths of the time while a store is measured. */
function otherWork(): (type: string) => void {
  let work: NodeJS.Timeout | undefined
  return (type) => {
    if (type === 'removing') clearInterval(work)
    if (type !== 'started') return
    work = setInterval(() => {
      block(400)
    }, 100)
  }
}

describe('a starved generator is reported as invalid, with exit code 4,', () => {
  test.each([
    ['by callers that wait', '--store memory: --duration 3s', /the generator did not run for \d/],
    ['at a rate', '--store memory: --duration 2s --rate 200', /the generator was late: lag p99 \d{3}/],
  ])('%s', async (_how, args, reason) => {
    const { code, errors, result } = await bench(args, otherWork())
    expect([code, result.status]).toEqual([4, 'invalid'])
    expect(errors).toMatch(reason)
  })
})

describeWith('redis', (url) => {
  test('a stall of two seconds shows in response times, and not in service times', async () => {
    await using proxy = await faultProxy(url)
    let isHeld = false
    const hold = (type: string): void => {
      if (isHeld || type !== 'interval') return
      isHeld = true
      proxy.inject({ kind: 'hold', side: 'response' })
      setTimeout(() => proxy.pass(), 2_000)
    }
    const store = `${proxy.url}?dataset=honest_${process.pid}`
    const load = '--rate 200 --max-in-flight 4 --when-full queue --duration 6s'
    const { result } = await bench(`--store ${store} --allow-non-empty ${load}`, hold)
    const { service, response } = result.targets[0]!.operations[0]!
    expect(response!.p90Ms).toBeGreaterThan(1_000)
    expect(service.p95Ms).toBeLessThan(1_000)
    expect(service.maxMs).toBeGreaterThan(1_500)
  })
})
