import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ensureTestTools, type TestTool } from '../src/install/test-tools.ts'

const present: TestTool = { name: 'node', probe: [process.execPath, '--version'], debianPackage: 'nodejs' }
const absent: TestTool = {
  name: 'nothing',
  probe: ['unikv-no-such-program'],
  debianPackage: 'no-such-package',
}
const said: string[] = []
const say = (line: string): void => void said.push(line)

test('tools that are there are left alone', async () => {
  const install = (): Promise<void> => Promise.reject(new Error('was not to be asked'))
  expect(await ensureTestTools([present], { say, mayInstall: true, install })).toEqual([])
})

test('where nothing may be installed, what is missing is named with its package', async () => {
  const missing = await ensureTestTools([present, absent], { say, mayInstall: false })
  expect(missing).toEqual([{ name: 'nothing', reason: expect.stringContaining('no-such-package') as string }])
})

test('a missing tool is installed, after saying which', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'unikv-tools-'))
  const program = join(folder, 'tool')
  const tool: TestTool = { name: 'tool', probe: [program], debianPackage: 'its-package' }
  said.length = 0
  const install = (packages: readonly string[]): Promise<void> => {
    expect(packages).toEqual(['its-package'])
    return writeFile(program, '#!/bin/sh\n', { mode: 0o755 })
  }
  expect(await ensureTestTools([tool], { say, mayInstall: true, install })).toEqual([])
  expect(said).toEqual(['installing system packages with apt-get: its-package'])
  await rm(folder, { recursive: true })
})

test('what could not be installed is told', async () => {
  const install = (): Promise<void> => Promise.reject(new Error('no route to the repository'))
  const [missing] = await ensureTestTools([absent], { say, mayInstall: true, install })
  expect(missing?.reason).toContain('no route')
  const installed = (): Promise<void> => Promise.resolve()
  const [still] = await ensureTestTools([absent], { say, mayInstall: true, install: installed })
  expect(still?.reason).toContain('does not run')
})
