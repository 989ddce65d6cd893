import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Bytes, StoreError } from '@unikv/core'

/** More is not read: a dictionary has room for a thousandth of it. */
const maxBytes = 67_108_864
/** A file gives at least so much, if it has it. */
const leastBytes = 65_536

/**
 * Samples of files, and of all files in folders, in the order of their paths. Hidden files, links and
 * `node_modules` are passed over. If the files hold more than 64 MiB together, the largest give only their beginning; if
 * that is not enough, evenly spaced files are taken.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` for a path that does not exist
 */
export async function readSamples(paths: readonly string[], lines: boolean): Promise<readonly Bytes[]> {
  const files = (await Promise.all(paths.map(filesOf))).flat()
  const most = mostOfEach(files)
  const total = files.reduce((sum, { size }) => sum + Math.min(size, most), 0)
  const step = Math.max(1, total / maxBytes)
  const samples: Bytes[] = []
  for (let i = 0, left = maxBytes; i < files.length && left > 0; i += step) {
    const file = files[Math.floor(i)] as SampleFile
    const bytes = await head(file, Math.min(left, most))
    left -= bytes.length
    if (lines) for (const line of linesOf(bytes)) samples.push(line)
    else samples.push(bytes)
  }
  return samples
}

/** How much a file may give, so that one huge file leaves room for the small ones beside it. */
function mostOfEach(files: readonly SampleFile[]): number {
  const sizes = files.map(({ size }) => size).sort((a, b) => a - b)
  let left = maxBytes
  for (const [index, size] of sizes.entries()) {
    const share = left / (sizes.length - index)
    if (size > share) return Math.max(leastBytes, Math.floor(share))
    left -= size
  }
  return maxBytes
}

interface SampleFile {
  readonly path: string
  readonly size: number
}

async function filesOf(path: string): Promise<readonly SampleFile[]> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new StoreError('INVALID_ARGUMENT', `${path} cannot be read: name files or folders of samples.`, {
      cause,
    })
  })
  if (found.isFile()) return [{ path, size: found.size }]
  // to open a pipe waits for a writer, and keeps the process from ending
  if (!found.isDirectory())
    throw new StoreError(
      'INVALID_ARGUMENT',
      `${path} is neither a file nor a folder: name files or folders of samples.`,
    )
  const entries = await readdir(path, { withFileTypes: true })
  const visible = entries.filter(
    (entry) =>
      !entry.name.startsWith('.') && entry.name !== 'node_modules' && (entry.isFile() || entry.isDirectory()),
  )
  const names = visible.map(({ name }) => name).sort()
  const inner: SampleFile[] = []
  for (const name of names) inner.push(...(await filesOf(join(path, name))))
  return inner
}

async function head({ path, size }: SampleFile, limit: number): Promise<Buffer> {
  const file = await open(path)
  try {
    const buffer = Buffer.alloc(Math.min(size, limit))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

function* linesOf(bytes: Buffer): Iterable<Bytes> {
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(10, start)
    const line = bytes.subarray(start, end < 0 ? bytes.length : end)
    if (line.length > 0) yield line
    start = end < 0 ? bytes.length : end + 1
  }
}
