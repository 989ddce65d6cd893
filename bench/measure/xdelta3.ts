import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The program, from the path or from `XDELTA3`. Debian and Ubuntu have it as package `xdelta3`. */
const program = process.env['XDELTA3'] ?? 'xdelta3'

/** Whether the yardstick is here. */
export const hasXdelta3: boolean = spawnSync(program, ['-V']).status === 0

/** The result of `xdelta3 -9` without secondary compression for a pair: bytes, and how long its process ran. */
export function xdelta3(base: Buffer, target: Buffer): { readonly bytes: number; readonly ms: number } {
  const folder = mkdtempSync(join(tmpdir(), 'unikv-xdelta3-'))
  try {
    // The names stand in the delta: short ones, always the same.
    writeFileSync(join(folder, 'base'), base)
    writeFileSync(join(folder, 'target'), target)
    const startedAt = performance.now()
    const options = ['-e', '-9', '-S', 'none', '-f', '-s', 'base', 'target', 'out']
    const { status } = spawnSync(program, options, { cwd: folder })
    const ms = performance.now() - startedAt
    if (status !== 0) throw new Error(`xdelta3 ended with ${status}`)
    return { bytes: statSync(join(folder, 'out')).size, ms }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
