import 'virtual:tokens.css'
import 'uplot/dist/uPlot.min.css'
import './page.css'
import { render } from 'preact'
import { takeToken } from './api.ts'
import { App } from './app.tsx'

takeToken()
render(<App />, document.getElementById('page') as HTMLElement)
