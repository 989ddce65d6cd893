import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, relative, resolve } from 'node:path'
import { extensions } from '../read/read-document.ts'

/** Where documents may be read from. */
export class Folders {
  readonly #folders: readonly string[]
  #real: Promise<readonly string[]> | undefined

  /** @param folders absolute paths */
  constructor(folders: readonly string[]) {
    this.#folders = [...new Set(folders)]
  }

  /**
   * The file that a path names: as it is written, or with one of the known ends. A path that leads out of the folders is
   * refused before the disk is asked, so that no document learns which files exist outside.
   *
   * @returns absolute path of the file; or what is wrong with the path
   */
  async find(
    folder: string,
    path: string,
  ): Promise<{ readonly file: string } | { readonly problem: string }> {
    if (path.includes('\0')) return { problem: `'${path.replaceAll('\0', '\\0')}' is not a path` }
    for (const end of ['', ...extensions]) {
      const file = resolve(folder, path + end)
      if (!holds(this.#folders, file)) return { problem: `'${path}' ${leads}` }
      if (!(await isFile(file))) continue
      const real = await realpath(file)
      if (holds(await this.#realFolders(), real)) return { file }
      return { problem: `'${path}' is a symbolic link that ${leads}` }
    }
    return { problem: `there is no file '${path}' here, also not with ${extensions.join(', ')}` }
  }

  #realFolders(): Promise<readonly string[]> {
    this.#real ??= Promise.all(this.#folders.map((folder) => realpath(folder).catch(() => folder)))
    return this.#real
  }
}

const leads =
  'leads out of the folders of the document and its libraries. Name the folder as a library, or allow it'

function holds(folders: readonly string[], file: string): boolean {
  return folders.some((folder) => {
    const inside = relative(folder, file)
    return inside !== '' && inside !== '..' && !/^\.\.[/\\]/.test(inside) && !isAbsolute(inside)
  })
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile()
  } catch {
    return false // not there, or a part of the path is not a folder
  }
}
