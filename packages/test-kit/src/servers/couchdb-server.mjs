/**
 * A PouchDB-based server in place of CouchDB, of which there is no package: express-pouchdb over LevelDB, with a shim
 * that asks for user and password and, as CouchDB does, makes the revision of a document its ETag.
 *
 * Arguments: folder of the packages, port, folder of the data, user, password.
 */
import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'

const [packages, port, data, user, password] = process.argv.slice(2)
mkdirSync(data, { recursive: true })
const require = createRequire(`${packages}/package.json`)
const express = require('express')
const PouchDB = require('pouchdb-core')
  .plugin(require('pouchdb-adapter-leveldb'))
  .plugin(require('pouchdb-mapreduce'))
  .plugin(require('pouchdb-replication'))
  .plugin(require('pouchdb-find'))
  .defaults({ adapter: 'leveldb', prefix: `${data}/` })

const app = express()
app.disable('x-powered-by')
app.set('etag', false)
app.use(basicAuthentication)
app.use(revisionTags)
const couch = require('express-pouchdb')(PouchDB, {
  mode: 'minimumForPouchDB',
  overrideMode: { include: ['routes/find'], exclude: ['compression'] },
})
couch.set('etag', false)
app.use(couch)
app.listen(Number(port), '127.0.0.1')

function basicAuthentication(request, response, next) {
  const expected = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  if (request.headers.authorization === expected) {
    next()
    return
  }
  const reason =
    request.headers.authorization === undefined
      ? 'You are not a server admin.'
      : 'Name or password is incorrect.'
  response.status(401).json({ error: 'unauthorized', reason })
}

function revisionTags(request, response, next) {
  const isDocument = /^\/[^/]+\/(?:[^_/]|_design\/)[^/]*$/.test(request.path)
  if (isDocument && ['GET', 'HEAD'].includes(request.method)) {
    const send = response.send.bind(response)
    response.send = (body) => {
      const revision = response.statusCode === 200 ? JSON.parse(String(body))._rev : undefined
      if (revision === undefined) return send(body)
      response.set('ETag', `"${revision}"`)
      if (request.headers['if-none-match'] !== `"${revision}"`) return send(body)
      return response.status(304).end()
    }
  }
  next()
}
