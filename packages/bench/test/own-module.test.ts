import { mkdtempSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openOwnModule, reopenOwnModule } from '../src/own/own-module.ts'

const folder = mkdtempSync(join(tmpdir(), 'unikv-own-module-'))
afterAll(() => rm(folder, { recursive: true }))

describe('a module with own operations', () => {
  test.each([
    ['shop.mjs', 'export default'],
    ['shop.cjs', 'module.exports ='],
    ['compiled.cjs', "Object.defineProperty(exports, '__esModule', { value: true }); exports.default ="],
    ['shop.ts', 'const name: string = "ts"\nexport default'],
  ])('that was changed is loaded anew by a worker that loaded it before (%s)', async (name, exported) => {
    const file = join(folder, name)
    const written = async (operation: string) => {
      await writeFile(file, `${exported} { operations: { ${operation}: { weight: 1, run: () => 1 } } }`)
      return openOwnModule(file)
    }
    const before = await written('buy')
    const after = await written('sell')
    expect(Object.keys(after.workload.operations!)).toEqual(['sell'])
    // All that runs in one process is of one module, so that its own variables are shared.
    expect(await reopenOwnModule(after.reference)).toBe(after.workload)
    await expect(reopenOwnModule(before.reference)).rejects.toThrow('is not the one that the run began with')
  })
})
