import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Whether nobody had this name in the folder: then this process has it until it ends. Processes of one machine that ask for
 * the same name at once never both have it; what a process that has ended had is free at the next call but one.
 */
export async function reserve(folder: string, name: string): Promise<boolean> {
  const file = join(folder, name)
  await mkdir(folder, { recursive: true })
  try {
    await writeFile(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    if (!isAlive(Number(await readFile(file, 'utf8').catch(() => '')))) await rm(file, { force: true })
    return false
  }
}

/** The file of one that is just being reserved holds no number yet, so 0, which stands for this process. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
