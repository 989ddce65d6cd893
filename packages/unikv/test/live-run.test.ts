import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import type { RunningEntry } from '@unikv/dashboard'
import { expect, test } from 'vitest'
import { benchRun, inProcess, type Outcome, root, waiting } from './command-line.ts'

/** Look at the page of a run, by its address and its token, while the run goes on. */
async function shownRun(
  args: readonly string[],
  look: (ask: (path: string, init?: RequestInit) => Promise<Response>) => Promise<void>,
): Promise<Outcome> {
  let looked: Promise<void> | undefined
  const outcome = await inProcess(['bench', 'run', ...args, '--dashboard', '0'], (told) => {
    const [, url, token] = /shown at (http:\S+)#token=(\S+)$/m.exec(told) ?? []
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    if (url !== undefined) looked ??= look((path, init) => fetch(url + path, { ...init, headers }))
  })
  await looked
  return outcome
}

/** Frames about runs until the stream or the reader ends. */
async function* frames(answer: Response): AsyncGenerator<readonly RunningEntry[]> {
  let rest = ''
  for await (const part of (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    const texts = (rest + part).split('\n\n')
    rest = texts.pop() ?? ''
    for (const text of texts) yield JSON.parse(text.slice('data: '.length)).running
  }
}

test('a run is shown while it goes on, and its report is the one that bench report makes', async () => {
  let last = ''
  const args = (await waiting(5)).map((arg) => (arg === '250ms' ? '2500ms' : arg))
  const outcome = await shownRun([...args, '--out', 'shown'], async (ask) => {
    const seen = { seconds: false, soFar: false }
    let wasThere = false
    for await (const running of frames(await ask('api/runs'))) {
      const run = running.find(({ name }) => name === 'shown')
      if (run?.now.includes('id="live-rate"') === true) seen.seconds = true
      if (run !== undefined && run.version > 0) {
        const page = await (await ask('api/runs/page?name=shown')).text()
        seen.soFar ||= page.includes('id="now"') && page.includes('id="rate-over-time"')
      }
      if (run === undefined && wasThere) break
      wasThere ||= run !== undefined
    }
    expect(seen).toEqual({ seconds: true, soFar: true })
    const init = { method: 'POST', body: JSON.stringify({ names: ['shown'] }) }
    const { path } = (await (await ask('api/reports', init)).json()) as { readonly path: string }
    last = await (await ask(path)).text()
  })
  expect([outcome.code, outcome.err], outcome.err).toEqual([0, expect.stringContaining('shown at')])
  const file = join(root, 'shown', 'report.html')
  const written = await readFile(file, 'utf8')
  expect(last).toBe(written)
  expect(existsSync(join(root, 'shown', '.unikv-live'))).toBe(false)
  await writeFile(file, '')
  await inProcess(['bench', 'report', 'shown'])
  expect(await readFile(file, 'utf8')).toBe(written)
  // A page changes nothing of what was measured.
  expect(JSON.parse(await readFile(join(root, 'shown', 'result.json'), 'utf8')).command).not.toContain('dash')
})

test('what a killed run has left is no run, and the next one takes its place', async () => {
  const left = join(root, 'killed', '.unikv-live')
  await mkdir(left, { recursive: true })
  await writeFile(join(left, 'events.jsonl'), '{"study":"run","stores":["memory"],"startedAt":1}\n')
  let asked: Promise<unknown> | undefined
  await inProcess(['dashboard', 'killed', '--port', '0'], (told, interrupt) => {
    const [, url, token] = /^ {2}(http:\S+)#token=(\S+)$/m.exec(told) ?? []
    const first = async (): Promise<unknown> => {
      const answer = await fetch(`${url}api/runs`, { headers: { authorization: `Bearer ${token}` } })
      return (await frames(answer).next()).value
    }
    if (url !== undefined) asked ??= first().finally(interrupt)
  })
  expect(await asked).toEqual([])
  expect((await benchRun('--store', 'memory:', '--out', 'killed')).code).toBe(0)
  expect([existsSync(left), existsSync(join(root, 'killed', 'result.json'))]).toEqual([false, true])
})

test('a port that is taken is told before anything is measured', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const { code, err } = await benchRun('--store', 'memory:', '--out', 'taken', '--dashboard', String(port))
  other.close()
  expect([code, err]).toEqual([2, expect.stringContaining('another program uses it')])
  expect(existsSync(join(root, 'taken'))).toBe(false)
})
