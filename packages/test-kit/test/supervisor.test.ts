import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { firstReply } from '../src/faults/first-reply.ts'
import { describeWithOwn } from '../src/vitest.ts'

describeWithOwn('redis', () => {
  let dir = ''

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'unikv-parent-'))
    await build({
      entryPoints: [fileURLToPath(new URL('fixtures/parent.ts', import.meta.url))],
      outfile: join(dir, 'parent.mjs'),
      bundle: true,
      platform: 'node',
      format: 'esm',
    })
  })
  afterAll(() => rm(dir, { recursive: true, force: true }))

  test.each<[string, (parent: ChildProcess) => void]>([
    ['returns from its last line', (parent) => void parent.stdin?.write('exit')],
    ['throws', (parent) => void parent.stdin?.write('throw')],
    ['is interrupted', (parent) => void parent.kill('SIGINT')],
    ['is terminated', (parent) => void parent.kill('SIGTERM')],
    ['is killed', (parent) => void parent.kill('SIGKILL')],
  ])('a server ends, and its files go, when the process that started it %s', async (_, end) => {
    const parent = spawn(process.execPath, [join(dir, 'parent.mjs')], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...process.env, TMPDIR: dir },
    })
    const [printed] = await once(parent.stdout, 'data')
    const port = Number(String(printed))
    expect((await firstReply(port, 'PING\r\n')).toString()).toBe('+PONG\r\n')
    end(parent)
    const gone = async (): Promise<void> => {
      expect((await firstReply(port, 'PING\r\n')).length).toBe(0)
      expect(await readdir(dir)).toEqual(['parent.mjs'])
    }
    await vi.waitFor(gone, { timeout: 120_000 })
  })
})
