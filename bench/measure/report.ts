import { mkdir, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'

/** Print rows under a title, columns as wide as they need. */
export function printTable(
  title: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const widths = columns.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i]?.length ?? 0)))
  const line = (cells: readonly string[]): string =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ')
  console.log(`\n${title}\n${line(columns)}\n${widths.map((width) => '─'.repeat(width)).join('  ')}`)
  for (const row of rows) console.log(line(row))
}

/** Write what was measured to `bench/results/<name>.json`, with what it was measured on. */
export async function writeResults(name: string, results: unknown): Promise<void> {
  const folder = fileURLToPath(new URL('../../results/', import.meta.url))
  await mkdir(folder, { recursive: true })
  const environment = {
    node: process.version,
    platform: process.platform,
    arch: process.arch,
    cpus: cpus().length,
    cpu: cpus()[0]?.model,
  }
  await writeFile(
    `${folder}${name}.json`,
    `${JSON.stringify({ name, at: new Date().toISOString(), environment, results }, null, 2)}\n`,
  )
  console.log(`\nWritten to bench/results/${name}.json`)
}

/** `1.23 ×` */
export function times(ratio: number): string {
  return `${ratio.toFixed(2)} ×`
}

/** `123.4k` */
export function thousands(value: number): string {
  return value >= 10_000 ? `${(value / 1000).toFixed(1)}k` : value.toFixed(0)
}
