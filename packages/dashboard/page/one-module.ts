import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const icon = fileURLToPath(new URL('icon.svg', import.meta.url))

/**
 * Puts the whole page into one HTML text, and that into a module: bundlers take it along, and no address in it depends on the
 * path, or on a slash at its end, under which an application serves it.
 */
export const oneModule: Plugin = {
  name: 'one-module',
  enforce: 'post',
  generateBundle(_, bundle) {
    const files = Object.values(bundle)
    const textOf = (ending: string): string => {
      const [file, ...others] = files.filter(({ fileName }) => fileName.endsWith(ending))
      if (file === undefined || others.length > 0) throw new Error(`The page needs one file ${ending}.`)
      return file.type === 'chunk' ? file.code : file.source.toString()
    }
    const page = pageOf(textOf('.html'), textOf('.js'), textOf('.css'))
    for (const name of Object.keys(bundle)) delete bundle[name]
    this.emitFile({ type: 'asset', fileName: 'page.js', source: moduleOf(page) })
  },
}

interface Page {
  readonly html: string
  readonly script: string
  readonly style: string
}

function pageOf(html: string, script: string, style: string): Page {
  if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style))
    throw new Error('The code or the style of the page would end its own element.')
  const image = `data:image/svg+xml;base64,${readFileSync(icon).toString('base64')}`
  const whole = html
    .replaceAll(/\s*<(?:script|link)\b[^>]*>(?:<\/script>)?/g, '')
    .replace('</head>', () => `  <link rel="icon" href="${image}" />\n    <style>${style}</style>\n  </head>`)
    .replace('</body>', () => `  <script type="module">${script}</script>\n  </body>`)
  return { html: whole, script, style }
}

function moduleOf({ html, script, style }: Page): string {
  const built = {
    html,
    script: sourceOf(script),
    style: sourceOf(style),
    tag: `W/"${hash('sha256', html, 'base64url')}"`,
  }
  return Object.entries(built)
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}\n`)
    .join('')
}

/** As a Content-Security-Policy names a text. */
function sourceOf(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`
}
