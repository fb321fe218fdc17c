// The console's page: loaded by the process that holds the key, and calls nothing else.
import { render } from 'preact';
import { App } from './app/App.tsx';
import './console.css';

const root = document.getElementById('console');
if (root) {
  root.replaceChildren();
  render(<App />, root);
}
