import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Administration } from './administration.jsx';
import { Licensed } from './license.jsx';
import './site.css';

/** The product itself. */
function Calculator() {
  const [tokens, setTokens] = useState(120_000);
  const [months, setMonths] = useState(24);
  return (
    <form className="card">
      <label>
        Tokens
        <input type="number" min="1" value={tokens} onChange={({ target }) => setTokens(target.value)} />
      </label>
      <label>
        Months
        <input type="number" min="1" value={months} onChange={({ target }) => setMonths(target.value)} />
      </label>
      <output>
        Tokens released each month
        <strong>{months > 0 ? (tokens / months).toLocaleString(undefined, { maximumFractionDigits: 2 }) : '–'}</strong>
      </output>
    </form>
  );
}

/** What visitors see without a valid license. */
function SwitchedOff() {
  return (
    <section className="card wrong" role="alert">
      <h2>The calculator is switched off</h2>
      <p>
        This site has no valid license. <a href="?owner">The owner of the site</a> can see why.
      </p>
    </section>
  );
}

function App() {
  const isOwner = new URLSearchParams(location.search).has('owner');
  return (
    <>
      <header>
        <a href="./">Vestee</a> <a href="?owner">For the owner</a>
      </header>
      <main>
        <h1>Vesting calculator</h1>
        <p>How many tokens a team gets each month.</p>
        {isOwner && <Administration />}
        <Licensed fallback={!isOwner && <SwitchedOff />}>
          <Calculator />
        </Licensed>
      </main>
    </>
  );
}

createRoot(document.getElementById('root')).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
