// The start: everything the page knows is in `live`.

const live = { data: null };

async function start() {
  live.data = await loadData();
  document.documentElement.dataset.state = "ready";
}

start();
